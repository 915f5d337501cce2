"""Print the files of a folder that are not the language they are said to be: `syntax.py java FOLDER`."""

import sys
from pathlib import Path

import tree_sitter_c_sharp
import tree_sitter_java
from tree_sitter import Language, Parser

GRAMMARS = {
    "java": (tree_sitter_java, "*.java"),
    "csharp": (tree_sitter_c_sharp, "*.cs"),
}

name, folder = sys.argv[1:]
grammar, pattern = GRAMMARS[name]
parser = Parser(Language(grammar.language()))
files = sorted(Path(folder).rglob(pattern))
for file in files:
    if parser.parse(file.read_bytes()).root_node.has_error:
        sys.stdout.write(f"{file.relative_to(folder)}\n")
sys.stderr.write(f"{len(files)}\n")

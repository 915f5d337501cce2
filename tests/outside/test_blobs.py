"""Files by their hash, in a folder and in a bucket behind the S3 protocol."""

import asyncio
import hashlib
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import obstore
import pytest
from moto.server import ThreadedMotoServer

from bindery.base.errors import Misconfigured
from bindery.outside.blobs import BlobDamaged, BlobMissing, Blobs, BlobsUnavailable, open_blobs

LETTER = b"%PDF-1.7 a letter"
LETTER_HASH = hashlib.sha256(LETTER).hexdigest()
UNKNOWN_HASH = "0" * 64


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["folder", "bucket"])
def reopen(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Blobs]:
    """A way to open one and the same store, as another process would."""
    if request.param == "folder":
        return lambda: open_blobs("", tmp_path)
    server = request.getfixturevalue("s3_server")
    bucket = f"files-{tmp_path.name.replace('_', '-').lower()[-40:]}"
    with urllib.request.urlopen(urllib.request.Request(f"{server}/{bucket}", method="PUT")) as made:
        assert made.status == 200
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    return lambda: open_blobs(f"s3://{bucket}/bindery", tmp_path)


@pytest.fixture
def blobs(reopen: Callable[[], Blobs]) -> Blobs:
    return reopen()


async def test_a_stored_file_is_known_by_its_hash_and_comes_back_as_it_was(blobs: Blobs) -> None:
    blob = await blobs.put(LETTER)

    assert (blob.sha256, blob.size) == (LETTER_HASH, 17)
    assert await blobs.get(LETTER_HASH) == LETTER


async def test_another_process_finds_the_file(reopen: Callable[[], Blobs]) -> None:
    await reopen().put(LETTER)

    assert await reopen().get(LETTER_HASH) == LETTER


async def test_storing_the_same_content_twice_changes_nothing(blobs: Blobs) -> None:
    first = await blobs.put(LETTER)

    second = await blobs.put(LETTER)

    assert second == first
    assert await blobs.get(LETTER_HASH) == LETTER


async def test_many_who_store_the_same_content_at_once_all_succeed(blobs: Blobs) -> None:
    stored = await asyncio.gather(*(blobs.put(LETTER) for _ in range(20)))

    assert {blob.sha256 for blob in stored} == {LETTER_HASH}
    assert await blobs.get(LETTER_HASH) == LETTER


async def test_an_unknown_file_is_missing(blobs: Blobs) -> None:
    with pytest.raises(BlobMissing):
        await blobs.get(UNKNOWN_HASH)


async def test_a_large_file_survives_the_way_there_and_back(blobs: Blobs) -> None:
    content = bytes(range(256)) * 24 * 1024

    blob = await blobs.put(content)

    assert blob.size == 6 * 1024 * 1024
    assert await blobs.get(blob.sha256) == content


async def test_a_damaged_file_is_not_handed_out(tmp_path: Path) -> None:
    blobs = open_blobs("", tmp_path)
    await blobs.put(LETTER)
    (tmp_path / "files" / LETTER_HASH[:2] / LETTER_HASH).write_bytes(b"%PDF-1.7 forged!!")

    with pytest.raises(BlobDamaged):
        await blobs.get(LETTER_HASH)


async def test_lost_files_are_found_among_many(blobs: Blobs) -> None:
    whole = [(await blobs.put(f"letter {number}".encode())).sha256 for number in range(5)]
    long = (await blobs.put(bytes(1_000_000))).sha256
    await blobs.put(LETTER)
    await obstore.put_async(blobs._store, f"{LETTER_HASH[:2]}/{LETTER_HASH}", LETTER[:-1])

    lost = await blobs.find_lost([*whole, UNKNOWN_HASH, long, LETTER_HASH, *whole])

    assert {sha256: type(fault) for sha256, fault in lost.items()} == {
        UNKNOWN_HASH: BlobMissing,
        LETTER_HASH: BlobDamaged,
    }
    assert await blobs.find_lost([]) == {}


async def test_a_file_that_cannot_be_read_is_not_called_lost(tmp_path: Path) -> None:
    blobs = open_blobs("", tmp_path)
    (tmp_path / "files" / LETTER_HASH[:2] / LETTER_HASH).mkdir(parents=True)

    with pytest.raises(BlobsUnavailable, match="cannot be read"):
        await blobs.find_lost([LETTER_HASH])


async def test_storing_the_content_again_mends_a_damaged_file(blobs: Blobs) -> None:
    await blobs.put(LETTER)
    await obstore.put_async(blobs._store, f"{LETTER_HASH[:2]}/{LETTER_HASH}", b"%PDF-1.7 forged!!")
    with pytest.raises(BlobDamaged):
        await blobs.get(LETTER_HASH)

    await blobs.put(LETTER)

    assert await blobs.get(LETTER_HASH) == LETTER


async def test_a_file_goes_in_and_out_piece_by_piece(blobs: Blobs, tmp_path: Path) -> None:
    file, out = tmp_path / "rows.csv", tmp_path / "copy.csv"
    file.write_bytes(bytes(range(256)) * 48 * 1024)

    blob = await blobs.put_file(file)
    again = await blobs.put_file(file)
    await blobs.copy(blob.sha256, out)

    assert again == blob
    assert blob.size == 12 * 1024 * 1024
    assert out.read_bytes() == file.read_bytes()
    assert await blobs.get(blob.sha256) == file.read_bytes()


async def test_a_file_that_is_missing_or_damaged_is_not_copied_and_is_mended_by_storing_it(
    blobs: Blobs, tmp_path: Path
) -> None:
    file, out = tmp_path / "letter.pdf", tmp_path / "copy.pdf"
    file.write_bytes(LETTER)
    with pytest.raises(BlobMissing):
        await blobs.copy(LETTER_HASH, out)
    await obstore.put_async(blobs._store, f"{LETTER_HASH[:2]}/{LETTER_HASH}", b"%PDF-1.7 forged!!")
    with pytest.raises(BlobDamaged):
        await blobs.copy(LETTER_HASH, out)

    await blobs.put_file(file)
    await blobs.copy(LETTER_HASH, out)

    assert out.read_bytes() == LETTER


async def test_a_bucket_that_does_not_answer_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    blobs = open_blobs("s3://nowhere", tmp_path)

    with pytest.raises(BlobsUnavailable):
        await blobs.get(LETTER_HASH)
    with pytest.raises(BlobsUnavailable):
        await blobs.find_lost([LETTER_HASH])


async def test_a_folder_can_be_named_by_address(tmp_path: Path) -> None:
    blobs = open_blobs(f"file://{tmp_path}/elsewhere", tmp_path / "data")

    await blobs.put(LETTER)

    assert (tmp_path / "elsewhere" / LETTER_HASH[:2] / LETTER_HASH).read_bytes() == LETTER
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("url", ["ftp://somewhere/files", "files", "http://somewhere/files", "://"])
def test_an_address_of_an_unknown_kind_is_refused_at_the_start(url: str, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="BINDERY_BLOBS_URL must start with"):
        open_blobs(url, tmp_path)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("s3://", 'Generic URL error: Unable to recognise URL "s3://"'),
        ("az://files", "Generic MicrosoftAzure error: Account must be specified"),
    ],
)
def test_an_address_that_lacks_something_is_refused_at_the_start_with_the_reason(
    url: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)

    with pytest.raises(Misconfigured) as refused:
        open_blobs(url, tmp_path)

    assert refused.value.message == f"BINDERY_BLOBS_URL does not work: {reason}."


async def test_what_an_earlier_version_left_open_to_others_is_closed(tmp_path: Path) -> None:
    await open_blobs("", tmp_path).put(LETTER)
    folder = tmp_path / "files" / LETTER_HASH[:2]
    file, elsewhere = folder / LETTER_HASH, tmp_path / "files" / "lost+found"
    elsewhere.mkdir()
    for path, mode in ((folder, 0o755), (file, 0o644), (elsewhere, 0o755)):
        path.chmod(mode)

    blobs = open_blobs("", tmp_path)

    assert [path.stat().st_mode & 0o777 for path in (folder, file, elsewhere)] == [0o700, 0o600, 0o755]
    assert await blobs.get(LETTER_HASH) == LETTER


async def test_a_process_may_be_started_before_its_folder_of_files_is_there(tmp_path: Path) -> None:
    in_its_place = tmp_path / "files"
    in_its_place.write_text("not a folder")

    blobs = open_blobs("", tmp_path)
    with pytest.raises(BlobsUnavailable):
        await blobs.put(LETTER)
    in_its_place.unlink()
    in_its_place.mkdir()
    await blobs.put(LETTER)

    assert await blobs.get(LETTER_HASH) == LETTER

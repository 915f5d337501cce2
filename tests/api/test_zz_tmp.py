import time, asyncio, os, uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from support.service import Service
from support.intake import changed
from support.uploads import processed
from bindery.actions.render_documents import read_facts, make_documents
from bindery.documents import render
from bindery.contract.documents import DocumentType as D
from bindery.domain.document_access import AT_PUBLICATION
from bindery.storage import quotes, submissions
async def test_speed(service: Service) -> None:
    s = service
    q = await processed(s)
    async with s.runtime.database.reading() as tx:
        row = await quotes.get(tx, uuid.UUID(q["quote_identifier"])); st = await submissions.find(tx, row.submission_id)
        f = await read_facts(s.runtime, tx, row, st)
    def fresh(n):
        out={}
        for i in range(n):
            u=uuid.uuid4(); out[u]=replace(f, quote_identifier=str(u), fingerprint=u.hex*2, insured=replace(f.insured,name=u.hex[:12]))
        return out
    print(os.getloadavg())
    for k in AT_PUBLICATION:
        ts=[]
        for _ in range(6):
            (x,)=fresh(1).values(); c=time.process_time(); t=time.perf_counter(); render(k,x); ts.append((round(time.perf_counter()-t,3), round(time.process_time()-c,3)))
        print(k, ts)
    for name,n in (("default",None),("2",2),("3",3)):
        if n: asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(n))
        ts=[]
        for _ in range(8):
            t=time.perf_counter(); c=time.process_time(); await make_documents(s.runtime, fresh(5), AT_PUBLICATION); ts.append((round(time.perf_counter()-t,3), round(time.process_time()-c,3)))
        print(name, ts)
    print(os.getloadavg())

import time, asyncio, os
from support.service import Service
from support.intake import changed
async def test_speed(working_service: Service) -> None:
    s = working_service
    times=[]
    print(os.getloadavg())
    for i in range(30):
        body = changed(("client.name", f"C{i} LLC"), ("policy.quotes", [{"aggregate_limit": l} for l in (250000,500000,1000000,2000000,3000000)]))
        t=time.perf_counter()
        r = await s.submit(body)
        await asyncio.gather(*(s.ready(o["quote_identifier"]) for o in r["quotes"]))
        times.append(time.perf_counter()-t)
    ts=sorted(times)
    print([round(x,3) for x in times]); print("p50",ts[15],"p90",ts[26])
    print(os.getloadavg())

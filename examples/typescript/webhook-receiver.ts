// A webhook receiver: registers itself, verifies every delivery, skips what it has seen, prints the rest:
//   BINDERY_TOKEN=… node webhook-receiver.ts 9000
import { createServer } from "node:http";
import { Bindery, SignatureError, verifyDelivery } from "@bindery/client";

const port = Number(process.argv[2] ?? "9000");
const bindery = new Bindery({
  token: process.env["BINDERY_TOKEN"] ?? "",
  baseUrl: process.env["BINDERY_URL"] ?? "http://127.0.0.1:8000",
});
const { secret } = await bindery.setWebhookSecret();
const seen = new Set<string>(); // keep this in your database: a delivery may come more than once

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  try {
    const event = await verifyDelivery(secret, request.headers, Buffer.concat(pieces));
    if (!seen.has(event.id)) {
      seen.add(event.id);
      console.log(event.type, JSON.stringify(event.data));
    }
    response.writeHead(204).end(); // any 2xx within 15 seconds; do slow work later
  } catch (flaw) {
    if (!(flaw instanceof SignatureError)) throw flaw;
    console.error(flaw.message);
    response.writeHead(400).end();
  }
});

server.listen(port, "127.0.0.1", async () => {
  const webhook = await bindery.registerWebhook(`http://127.0.0.1:${port}/`);
  await bindery.pingWebhook(webhook.id);
  process.once("SIGINT", async () => {
    await bindery.removeWebhook(webhook.id);
    process.exit();
  });
});

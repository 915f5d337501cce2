// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
import { SignatureError } from "./errors.js";
import { webCrypto } from "./webcrypto.js";
const TOLERANCE_S = 300;
const SECRET = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/;
/**
 * Verify a delivery by Standard Webhooks and return its event, as the feed has it; `id` tells what was seen before.
 * `body` is what came in, byte for byte: verify first, then parse. Throws `SignatureError`.
 */
export async function verifyDelivery(secret, headers, body, now = new Date()) {
    const id = headerOf(headers, "webhook-id");
    const timestamp = headerOf(headers, "webhook-timestamp");
    if (!id || !/^[0-9]{1,12}$/.test(timestamp)) {
        throw new SignatureError("The headers webhook-id and webhook-timestamp are missing or malformed.");
    }
    if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_S) {
        throw new SignatureError("webhook-timestamp is more than five minutes off.");
    }
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const raw = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), raw);
    const { subtle } = await webCrypto();
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const key = await subtle.importKey("raw", secretBytes(secret), hmac, false, ["verify"]);
    for (const signature of headerOf(headers, "webhook-signature").split(" ")) {
        const given = signature.startsWith("v1,") ? bytesOf(signature.slice(3)) : undefined;
        // The platform compares in constant time.
        if (given && (await subtle.verify(hmac, key, given, signed)))
            return { ...JSON.parse(text), id };
    }
    throw new SignatureError("No signature matches the secret.");
}
function headerOf(headers, name) {
    if (headers instanceof Headers)
        return headers.get(name) ?? "";
    const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
    return (Array.isArray(found) ? found[0] : found) ?? "";
}
function secretBytes(secret) {
    const found = SECRET.exec(secret.trim());
    const bytes = found && bytesOf(found[1]);
    if (!bytes)
        throw new TypeError("A secret is whsec_ and base64, as returned by POST /v2/settings/webhook_secret.");
    return bytes;
}
function bytesOf(base64) {
    try {
        return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    }
    catch {
        return undefined;
    }
}
function joined(first, second) {
    const both = new Uint8Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
}

// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
/** Return the platform's Web Crypto, which Node 18 has, but not as a global. */
export async function webCrypto() {
    if (globalThis.crypto)
        return globalThis.crypto;
    // Not written in the import, so that bundlers for browsers do not look for it.
    const module = "node:crypto";
    return (await import(module)).webcrypto;
}
/** Draw the idempotency key of a POST whose caller has none. */
export async function newKey() {
    const bytes = (await webCrypto()).getRandomValues(new Uint8Array(18));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
/** Return the platform's Web Crypto, which Node 18 has, but not as a global. */
export declare function webCrypto(): Promise<Crypto>;
/** Draw the idempotency key of a POST whose caller has none. */
export declare function newKey(): Promise<string>;

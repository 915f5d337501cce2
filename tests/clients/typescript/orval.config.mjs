// The client and the schemas that check its answers; the address is that of the document.
const input = { target: process.env.BINDERY_DOCUMENT };

export default {
  fetch: {
    input,
    output: {
      target: "generated/orval/bindery.ts",
      client: "fetch",
      mode: "single",
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
  zod: { input, output: { target: "generated/orval/bindery.zod.ts", client: "zod", mode: "single" } },
};

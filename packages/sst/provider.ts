/**
 * The provider that Pulumi stores as text with each resource: it captures a name, and loads everything else from the
 * installed package when it is called. So the text stays the same when the package changes.
 */
import type { Kind } from "./providers/providers.ts";

type Values = Readonly<Record<string, unknown>>;

async function loaded() {
  const { createRequire } = await import("node:module");
  const { pathToFileURL } = await import("node:url");
  // From the folder of the deployment: this function runs without a file of its own.
  const path = createRequire(`${process.cwd()}/`).resolve("@identity-admin-api/sst/providers");
  // Computed, so that bundlers leave it to Node.
  const { providers } = await import(pathToFileURL(path).href);
  return providers;
}

/** The methods of Pulumi's `dynamic.ResourceProvider`. */
export function providerOf(kind: Kind) {
  return {
    check: async (olds: Values, news: Values) => (await loaded())[kind].check(olds, news),
    diff: async (id: string, olds: Values, news: Values) => (await loaded())[kind].diff(id, olds, news),
    create: async (inputs: Values) => (await loaded())[kind].create(inputs),
    read: async (id: string, props: Values) => (await loaded())[kind].read(id, props),
    update: async (id: string, olds: Values, news: Values) => (await loaded())[kind].update(id, olds, news),
    delete: async (id: string, props: Values) => (await loaded())[kind].delete(id, props),
  };
}

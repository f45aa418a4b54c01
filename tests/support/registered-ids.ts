/**
 * A program of its own: loads every contract and prints the ids that zod's global registry got for more than one shape,
 * as JSON. Schemas are built when they are declared here, also those that nothing uses.
 */
import { registerHooks } from "node:module";
import * as z from "zod";
import { duplicateIds, recordShapes } from "./shape-ids.ts";

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    return found.url.endsWith("/packages/core/kernel/zod.ts") ? next("zod", context) : found;
  },
});
const recorded = recordShapes(z.globalRegistry);
await import("#core/service/catalogue.ts");
await import("#core/http/dialects.ts");
process.stdout.write(JSON.stringify({ shapes: recorded.length, duplicates: duplicateIds(recorded) }));

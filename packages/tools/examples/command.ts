/**
 * `npm run examples [-- --check]`: runs every operation in a fresh service and records it in
 * docs/examples/openapi-examples.json, which `npm run openapi` puts into the API document. With `--check`, only
 * compares. Prints the log of the service. Exit codes: 0 written or equal, 1 the file is outdated.
 */
import { writeOrCheck } from "#tools/generated.ts";
import { recordAll } from "./record.ts";
import { settled, shortened } from "./settle.ts";

// Two runs, because only what differs between them is replaced by placeholders.
const [one, other] = [shortened(await recordAll()), shortened(await recordAll())];
const text = `${JSON.stringify(settled(one, other), null, 2)}\n`;
await writeOrCheck("docs/examples/openapi-examples.json", text, "examples");

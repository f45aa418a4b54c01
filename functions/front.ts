/** The page at `/`, documents, the API document and its reference: static files. Needs no database and no secret. */
import { frontFiles } from "#core/service/site/files.ts";
import { serveFront } from "#core/service/site/serve.ts";
import { frontDirectory } from "./env.ts";

export const handler = serveFront(frontFiles(frontDirectory()));

/** The page at `/`, its documents and the reference of the API: static files. Needs no database and no secret. */
import { frontFiles } from "#core/front/files.ts";
import { serveFront } from "#core/front/serve.ts";
import { frontDirectory } from "./env.ts";

export const handler = serveFront(frontFiles(frontDirectory()));

/** `npm run front`: builds the files of the page at `/`, and prints their directory. */
import { buildFront } from "./build.ts";

process.stdout.write(`${await buildFront()}\n`);

/** Messages as files of a directory, one each: for machines that send nothing. */
import { randomBytes } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../kernel/clock.ts";
import type { SendMail } from "./model.ts";

/** The names of messages: in the order of time. */
export const MESSAGE_FILE = /^\d{13}-[0-9a-f]{16}\.eml$/;

/** Writes messages into a directory, which it creates. A file is there as a whole or not at all; the owner reads it. */
export function openOutbox(directory: string): SendMail {
  return async ({ bytes }) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const name = `${String(systemClock.now()).padStart(13, "0")}-${randomBytes(8).toString("hex")}`;
    const unfinished = join(directory, `${name}.part`);
    await writeFile(unfinished, bytes, { mode: 0o600 });
    await rename(unfinished, join(directory, `${name}.eml`));
  };
}

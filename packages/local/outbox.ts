/** The mails of the local service: files in a directory, unless deployment.toml names a server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LambdaFunction } from "./gateway.ts";

/** The mails of a running service. */
export interface SentMails {
  /** The directory with the mails that were sent. */
  readonly outbox: string;
  /** Sends the mails that are due now. */
  sendMails(): Promise<void>;
}

/** Opens the outbox: with the data, or a temporary one where they are in memory. */
export async function outboxIn(dataDirectory: string | undefined) {
  const isTemporary = dataDirectory === undefined;
  const directory = isTemporary
    ? await mkdtemp(join(tmpdir(), "identity-admin-api-outbox-"))
    : join(dataDirectory, "outbox");
  return {
    /** What functions read of it. */
    variables: { OUTBOX_DIRECTORY: directory, SMTP_PASSWORD: process.env.SMTP_PASSWORD ?? "" },
    /** The outbox of a service, of which `send` is the function that sends. */
    of: (send: LambdaFunction): SentMails => ({
      outbox: directory,
      sendMails: async () => void (await send({ all: true } as never, {} as never)),
    }),
    close: async () => {
      if (isTemporary) await rm(directory, { recursive: true, force: true });
    },
  };
}

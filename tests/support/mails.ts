/** The mails of a running service, as a reader of e-mail sees them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { simpleParser } from "mailparser";
import type { World } from "./world.ts";

/** A mail. */
export interface ReadMail {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address in the first link. */
  readonly link: URL | undefined;
  /** The code of that link. */
  readonly code: string;
  readonly bytes: Buffer;
}

/** Reads the bytes of a message. */
export const readMail = async (bytes: Buffer): Promise<ReadMail> => {
  const parsed = await simpleParser(bytes);
  const to = Array.isArray(parsed.to) ? parsed.to : parsed.to ? [parsed.to] : [];
  const html = parsed.html || "";
  const address = /<a href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  const link = address === undefined ? undefined : new URL(address);
  return {
    to: to.flatMap((each) => each.value.map((one) => one.address ?? "")).join(","),
    from: parsed.from?.text ?? "",
    subject: parsed.subject ?? "",
    text: parsed.text ?? "",
    html,
    link,
    code: link?.searchParams.get("code") ?? "",
    bytes,
  };
};

/** The outbox of a service. */
export const mailsOf = (api: World) => {
  const seen = new Set<string>();
  return {
    /** Sends what is due, and returns the mails that were not returned before. */
    async next(): Promise<readonly ReadMail[]> {
      await api.service.sendMails();
      const names = await readdir(api.service.outbox).catch(() => []);
      const fresh = names.filter((name) => name.endsWith(".eml") && !seen.has(name)).sort();
      for (const name of fresh) seen.add(name);
      return Promise.all(fresh.map(async (name) => readMail(await readFile(join(api.service.outbox, name)))));
    },
  };
};

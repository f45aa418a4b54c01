/** The mails of the local service as a page of the demo: what their recipients would read. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Html, html } from "#core/sign-in/pages/html.ts";

const FILE = /\.eml$/;
const SHOWN_MAX = 50;
/** An address that a reader of mails would make a link of. */
const ADDRESS = /(https?:\/\/[^\s<>"]+)/;

/** The mails, the newest first. */
export async function outboxContent(directory: string): Promise<Html> {
  const { simpleParser } = await import("mailparser");
  const names = (await readdir(directory).catch(() => [])).filter((name) => FILE.test(name)).sort();
  const newest = names.reverse().slice(0, SHOWN_MAX);
  const mails = await Promise.all(
    newest.map(async (name) => {
      const { to, subject, date, text = "" } = await simpleParser(await readFile(join(directory, name)));
      const recipients = to === undefined ? [] : [to].flat().map((each) => each.text);
      return html`<article>
<h2>${subject ?? ""}</h2>
<p>To ${recipients.join(", ")}, ${date?.toISOString() ?? ""}</p>
<pre>${text.split(ADDRESS).map((part, at) => (at % 2 ? html`<a href="${part}">${part}</a>` : html`${part}`))}</pre>
</article>
`;
    }),
  );
  return html`<h1>Mails</h1>
<p>What the service has sent. Each mail is a file in <code>${directory}</code>.</p>
${mails.length === 0 ? html`<p>There is none yet.</p>` : mails}
<p><a class="button" href="/">Back</a></p>`;
}

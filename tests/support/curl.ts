/** Executes curl command lines of documents without curl, as a shell and curl would. */
import type { Answer, World } from "./world.ts";

/** Splits a line as a shell does: quotes of both kinds, backslashes, and continued lines. */
const wordsOf = (line: string): string[] => {
  const words: string[] = [];
  let word: string | undefined;
  for (const [token] of line.matchAll(/'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\\n|\\[\s\S]|\s+|[^\s'"\\]+/g)) {
    if (/^\s+$/.test(token)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (token !== "\\\n") {
      const quoted = token.startsWith('"') ? token.slice(1, -1).replace(/\\(["\\$`])/g, "$1") : undefined;
      const single = token.startsWith("'") ? token.slice(1, -1) : undefined;
      word = (word ?? "") + (quoted ?? single ?? token.replace(/^\\/, ""));
    }
  }
  return word === undefined ? words : [...words, word];
};

interface Command {
  readonly method: string;
  readonly url: string;
  readonly user: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: string | undefined;
}

const FLAGS = new Set(["-v", "-k", "-s", "-i"]);

const commandOf = ([name, ...words]: readonly string[]): Command => {
  if (name !== "curl") throw new Error(`${name} is not curl`);
  const given: { method?: string; url?: string; user?: string; data?: string } = {};
  // The default header of curl.
  const headers: Record<string, string> = { accept: "*/*" };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const value = () => {
      at += 1;
      return words[at] ?? "";
    };
    if (FLAGS.has(word)) continue;
    if (word === "--user" || word === "-u") given.user = value();
    else if (word === "-X" || word === "--request") given.method = value();
    else if (word === "--data" || word === "-d") given.data = value();
    else if (word === "--header" || word === "-H") {
      const [, header = "", content = ""] = /^([^:]+):\s*(.*)$/s.exec(value()) ?? [];
      headers[header.toLowerCase()] = content;
    } else if (word.startsWith("-")) throw new Error(`unknown option ${word}`);
    else given.url = word;
  }
  const { data, method = data === undefined ? "GET" : "POST" } = given;
  if (data !== undefined) headers["content-type"] ??= "application/x-www-form-urlencoded";
  return { method, url: given.url ?? "", user: given.user, headers, data };
};

/** Executes a command line against a running service. `{base_url}` means its origin. */
export const curl = (api: World, line: string): Promise<Answer> => {
  const { method, url, user, headers, data } = commandOf(wordsOf(line.trim()));
  if (!url.startsWith("{base_url}/")) throw new Error(`${url} is not an address of the service`);
  return api.ask(method, url.slice("{base_url}".length), {
    headers,
    ...(data !== undefined && { raw: data }),
    as: user === undefined ? null : `Basic ${Buffer.from(user).toString("base64")}`,
  });
};

/** Registered addresses and origins: what is stored can be used, and what cannot be used is refused (decision 0155). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAddress, readOrigin } from "#core/applications/protocols/addresses.ts";
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { checkOidc } from "#core/applications/protocols/oidc.ts";
import { storedAddresses } from "#core/applications/protocols/oidc-addresses.ts";
import { readPattern } from "#core/applications/protocols/pattern.ts";
import { Fault } from "#core/kernel/faults.ts";
import { isRegistered, registeredAddress } from "#core/sign-in/flow/redirects.ts";

const CODE = { grantTypes: ["authorization_code"] };

/** The callback as it is stored, or why it is refused. */
const register = async (callback: string) => {
  try {
    await checkOidc({ ...CODE, callbackURLs: [callback] }, defaultClientLimits);
  } catch (error) {
    if (error instanceof Fault && error.row.status === 400) return { refused: error.description };
    throw error;
  }
  return { stored: storedAddresses({ callbackURLs: [callback] }).callbackURLs[0] ?? "" };
};

describe("a callback", () => {
  test.each([
    [" https://app.example/back\n", "https://app.example/back"],
    ["\uFEFFhttps://app.example/back\u00a0", "https://app.example/back"],
    ["https://bücher.example/back", "https://xn--bcher-kva.example/back"],
    ["https://BÜCHER.example/zurück?wo=übersicht", "https://xn--bcher-kva.example/zur%C3%BCck?wo=%C3%BCbersicht"],
    ["https://例え.jp/戻る", "https://xn--r8jz45g.jp/%E6%88%BB%E3%82%8B"],
    ["com.example.app:/zurück", "com.example.app:/zur%C3%BCck"],
    ["https://app.example", "https://app.example"],
    ["https://APP.example:443/a/../back", "https://APP.example:443/a/../back"],
    ["http://localhost:3000/back", "http://localhost:3000/back"],
    ["http://127.0.0.1/back", "http://127.0.0.1/back"],
    ["http://127.8.9.1:8080/back", "http://127.8.9.1:8080/back"],
    ["http://[::1]:4000/back?x=1", "http://[::1]:4000/back?x=1"],
    ["myapp://callback", "myapp://callback"],
    ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob"],
  ])("%j is stored as %j, and requests reach it as written and as a browser writes it", async (callback, stored) => {
    expect(await register(callback)).toEqual({ stored });
    for (const sent of [callback.trim(), stored, new URL(stored).href, new URL(callback.trim()).href]) {
      const to = await registeredAddress(sent, [stored]);
      expect(to).toMatch(/^[\x21-\x7e]+$/);
      expect(new URL(to ?? "").href).toBe(new URL(callback.trim()).href);
    }
  });
  test.each([
    ["", "is empty"],
    [" \n", "is empty"],
    ["https://app.example/my app", "a blank: write %20"],
    ["https://app.example/a https://app.example/b", "a blank"],
    ["https://app.example/a\nhttps://app.example/b", "a line end"],
    ["https://app.example/a\r\n/b", "a line end"],
    ["https://app.example/a\tb", "a tab"],
    ["https://app.example\\back", "a backslash: write /"],
    ['https://app.example/"', 'the character " (U+0022): write %22'],
    ["https://app.example/{id}", "the character { (U+007B): write %7B"],
    ["https://app.example/a|b", "the character | (U+007C): write %7C"],
    ["https://app.example/a\u200bb", "the character U+200B: write %E2%80%8B"],
    ["https://app.example/a\u202eb", "the character U+202E"],
    ["https://app.example/a\u00a0b", "the character U+00A0"],
    ["https://app.example/\ud800", "the character U+D800"],
    ["https://app．example/back", "the character ． (U+FF0E) in the host"],
    ["https://ａpp.example/back", "the character ａ (U+FF41) in the host"],
    ["https://app.example/#back", "a fragment (#)"],
    ["https://kim@app.example/back", "a user name"],
    ["https://*.example/back", "must name one host"],
    ["https://a;b.example/back", "has a host that"],
    ["https:app.example/back", "must have two slashes and a host"],
    ["https:///app.example/back", "must have two slashes and a host"],
    ["back", "is not an absolute URL"],
    ["/back", "is not an absolute URL"],
    ["https://", "is not an absolute URL"],
    ["http://app.example/back", "use https"],
    ["HTTP://app.example/back", "use https"],
    ["http://localhost.example/back", "use https"],
    ["http://127.0.0.1.example/back", "use https"],
    ["http://10.0.0.1/back", "use https"],
    ["http://0.0.0.0/back", "use https"],
    ["http://[::2]/back", "use https"],
    ["javascript:alert(1)", "a scheme that is not allowed"],
    ["\u0001javascript:alert(1)", "a scheme that is not allowed"],
    ["java\nscript:alert(1)", "a scheme that is not allowed"],
    ["vbscript:x", "a scheme that is not allowed"],
    ...["livescript:x", "jar:https://x", "intent://x", "chrome://x", "mk:@x", "ms-msdt:/id", "search-ms:x"].map(
      (address): [string, string] => [address, "a scheme that is not allowed"],
    ),
    ...["shell:x", "smb://x", "mailto:a@b.example", "tel:1", "feed:https://x", "res://x"].map(
      (address): [string, string] => [address, "a scheme that is not allowed"],
    ),
    ["data:text/html,x", "a scheme that is not allowed"],
    ["blob:https://app.example/1", "a scheme that is not allowed"],
    ["file:///etc/passwd", "a scheme that is not allowed"],
    ["ws://app.example/back", "a scheme that is not allowed"],
    [`https://app.example/${"ü".repeat(400)}`, "more than 2048 characters"],
    ["regexp=", "matches no address"],
    ["regexp= https://app\\.example/back", "matches no address"],
    ["regexp=back", "matches no address"],
    ["regexp=/back", "matches no address"],
    ["regexp=https://bücher\\.example/back", "matches no address"],
    ["regexp=https://app\\.example/#.*", "matches no address"],
    ["regexp=https://app\\.example/a b", "matches no address"],
    ["regexp=https:app\\.example/back", "matches no address"],
    ["regexp=http://app\\.example/back", "matches no address"],
    ["regexp=http://(a|b)\\.example:[0-9]+/.*", "matches no address"],
    ["regexp=http://localhost\\.com:8080/back", "matches no address"],
    ["regexp=javascript:alert\\(.*", "matches no address"],
    ["regexp=(?i)data:.*", "matches no address"],
    ["regexp=https://a\\.example/back$x", "matches no address"],
    ["regexp=x^https://a\\.example/back", "matches no address"],
    ["regexp=[^\\x00-\\x{10FFFF}]", "matches no address"],
  ])("%j is refused with the member and the reason", async (callback, reason) => {
    const { refused = "" } = await register(callback);
    expect(refused).toContain("callbackURLs: '");
    expect(refused).toContain(reason);
    expect(refused).not.toMatch(/[\p{C}]/u);
  });
  test.each([
    "regexp=https://(a|b)\\.example/cb",
    "regexp=(https://a.example/back|.*/very/special)",
    "regexp=https://(www|shop)\\.cars\\.example\\.com/back(\\?lang=[a-z]{2})?",
    "regexp=^https://app\\.example/back$",
    "regexp=(?i)HTTPS://APP\\.EXAMPLE/back",
    "regexp=http://127\\.0\\.0\\.1:[0-9]{1,5}/callback",
    "regexp=http://localhost:\\d+",
    "regexp=http://\\[::1\\](:[0-9]+)?/",
    "regexp=(http://app\\.example/back|https://app\\.example/back)",
    "regexp=https?://app\\.example/.*",
    "regexp=com\\.example\\.app:/.+",
    "regexp=https://[^/]+\\.example/back",
    "regexp=https://app\\.example/(?:a{2}|b*c+)\\b.*",
    " regexp=https://app\\.example/back ",
  ])("the expression %j is stored, and an address that it matches is accepted", async (callback) => {
    const { stored = "" } = await register(callback);
    expect(stored).toBe(callback.trim());
    const example = (await readPattern(stored.slice("regexp=".length)))?.example("usable") ?? "";
    expect(await isRegistered(example, [stored])).toBe(true);
  });
  test("an expression with a huge program is read in bounded work", async () => {
    const parts = Array.from({ length: 90 }, (_, at) => `[a-z]{${(at % 9) + 1},10}`)
      .join("?")
      .slice(0, 900);
    const startedAt = performance.now();
    await register(`regexp=${parts}`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  const scheme = fc.constantFrom(
    "https://",
    "http://",
    "HTTPS://",
    "https:",
    "app:/",
    "com.example.app://",
    "ftp://",
    "",
  );
  const host = fc.constantFrom(
    ...[
      "app.example",
      "APP.Example",
      "bücher.example",
      "localhost",
      "127.0.0.1",
      "[::1]",
      "127.1",
      "例え.jp",
      "faß.de",
    ],
    ...["x.example:443", "x.example:8443", "app．example", "*.example", "k@x.example", "x", ""],
  );
  const rest = fc.string({
    unit: fc.constantFrom(
      ..."abcZ019/.?=&%-_~:;,+!$'()*@[]{}|\\^`\"<># \t\n\r",
      "ü",
      "戻",
      "\u200b",
      "\u00a0",
      "😀",
      "%41",
    ),
    maxLength: 12,
  });
  const callbacks = fc.tuple(fc.constantFrom("", " ", "\n"), scheme, host, rest, fc.constantFrom("", " ", "\u00a0"));
  test("whatever is stored fits what a browser sends and what its caller wrote, and is stable", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(callbacks, async (parts) => {
        const callback = parts.join("");
        const { stored, refused } = await register(callback);
        if (stored === undefined) {
          expect(refused).toContain("callbackURLs: '");
          return;
        }
        accepted += 1;
        // Stable: what a read shows can be written back.
        expect(await register(stored)).toEqual({ stored });
        for (const sent of [callback.trim(), new URL(callback.trim()).href]) {
          const to = await registeredAddress(sent, [stored]);
          expect(to).toBeDefined();
          // The browser goes where it would go for the text of the caller.
          expect(new URL(to ?? "").href).toBe(new URL(callback.trim()).href);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
  test("an address of http on another machine is never sent an answer, whatever is registered", async () => {
    const address = "http://app.example/back";
    for (const registered of [address, "regexp=https?://app\\.example/.*", "regexp=.*"]) {
      expect(await isRegistered(address, [registered])).toBe(false);
    }
  });
  test("a loopback address has any port, also as a browser writes it", async () => {
    for (const sent of ["http://127.0.0.1:5000", "http://127.0.0.1:5000/", "http://127.0.0.1/"]) {
      expect(await isRegistered(sent, ["http://127.0.0.1"])).toBe(true);
    }
  });
});

describe("an origin", () => {
  test.each([
    ["https://app.example", "https://app.example"],
    [" https://App.Example:443\n", "https://app.example"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://app.example:80", "http://app.example"],
    ["https://bücher.example:8443", "https://xn--bcher-kva.example:8443"],
    ["https://[::1]:3000", "https://[::1]:3000"],
    ["capacitor://localhost", "capacitor://localhost"],
    ["Ionic://localhost", "ionic://localhost"],
    ["tauri://localhost", "tauri://localhost"],
    ["http://tauri.localhost", "http://tauri.localhost"],
    ["app://obsidian.md:443", "app://obsidian.md:443"],
    ["chrome-extension://abcdefghijklmnopabcdefghijklmnop", "chrome-extension://abcdefghijklmnopabcdefghijklmnop"],
  ])("%j is stored as %j, the value of the header", (given, address) => {
    expect(readOrigin(given)).toEqual({ address });
    expect(readOrigin(address)).toEqual({ address });
    if (/^https?:/i.test(address)) expect(new URL(given).origin).toBe(address);
  });
  test.each([
    ["*", "every site"],
    ["https://*.example", "one host"],
    ["https://*", "one host"],
    ["null", "files and sandboxed pages"],
    ["", "is not an origin"],
    ["app.example", "is not an origin"],
    ["https://app.example/", "without a path"],
    ["https://app.example/x", "without a path"],
    ["https://app.example?x", "without a path"],
    ["https://app.example#x", "without a path"],
    ["https://kim@app.example", "is not an origin"],
    ["https://a b.example", "is not an origin"],
    ["https://app.example\\x", "is not an origin"],
    ["https://app.example:99999", "is not an origin"],
    ["https:app.example", "is not an origin"],
    ["capacitor:localhost", "is not an origin"],
    ["javascript://localhost", "scheme that is not allowed"],
    ["file://localhost", "scheme that is not allowed"],
    ["ws://localhost", "scheme that is not allowed"],
    ["https://app．example", "must not contain the character"],
    ["https://a,b.example", "is not an origin"],
  ])("%j is refused", (given, reason) => {
    expect(readOrigin(given)).toEqual({ problem: expect.stringContaining(reason) });
  });
});

describe("other addresses", () => {
  test.each(["link", "message", "endpoint"] as const)("%s: http and https alone, without a user name", (kind) => {
    for (const given of ["http://app.example/x", "https://app.example/x"]) {
      expect(readAddress(given, kind)).toEqual({ address: given });
    }
    for (const given of [
      ...["javascript:alert(1)", "data:image/png;base64,AA", "vbscript:x", "file:///x", "app:/x", "mailto:a@b.example"],
      ...[
        "//app.example/x",
        "/x",
        "x",
        "https://k:p@app.example/",
        "https://app.example/a b",
        "https://app.example/\\x",
      ],
    ]) {
      expect(readAddress(given, kind)).toEqual({ problem: expect.any(String) });
    }
  });
  test("a link may have a fragment and placeholders, as portals of Identity Server have them", () => {
    for (const given of [`https://app.example/t/${"{"}UserTenantHint}/#/home`, "https://app.example/#a"]) {
      expect(readAddress(given, "link")).toEqual({ address: given });
    }
    expect(readAddress("https://app.example/#a", "endpoint")).toEqual({ problem: "must not contain a fragment (#)" });
  });
});

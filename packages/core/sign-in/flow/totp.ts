/**
 * One-time codes by time (TOTP, RFC 6238) as every authenticator app makes them: six digits, SHA-1, 30 seconds. Loaded
 * with the first sign-in that needs one.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";

/** RFC 4226 section 4 recommends 160 bits. */
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** Clocks differ: the code before and the one after count too (RFC 6238 section 5.2). */
const STEPS_AROUND = [0, -1, 1];
const LABEL_MAX = 60;

/** Recovery codes: how many, and their bytes. 80 bits need no slow hash. */
const RECOVERY_CODES = 8;
const RECOVERY_BYTES = 10;
const GROUP = /.{4}/g;

/** A new secret, in Base32. */
export async function newSecret(): Promise<string> {
  return new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32;
}

/** How an app takes a secret over: the address in a QR code, and the code as an SVG. */
export async function secretForApps(
  secret: string,
  { issuer, account }: { readonly issuer: string; readonly account: string },
): Promise<{ readonly address: string; readonly svg: string }> {
  const address = totpOf(secret, short(issuer), short(account)).toString();
  return { address, svg: renderSVG(address, { ecc: "M", border: 4, pixelSize: 4 }) };
}

/**
 * The time step of a code; `undefined` where it is not one of the secret now, or not later than `usedStep`. Compares
 * with every step of the window in constant time.
 */
export async function stepOf(
  code: string,
  secret: string,
  usedStep: number,
  nowMs: number,
): Promise<number | undefined> {
  const totp = totpOf(secret, "", "");
  const now = Math.floor(nowMs / 1_000 / PERIOD_SECONDS);
  const given = digits(code);
  const matching = STEPS_AROUND.map((offset) => now + offset).filter((step) => {
    const right = Buffer.from(totp.generate({ timestamp: step * PERIOD_SECONDS * 1_000 }));
    const isSame = timingSafeEqual(right, Buffer.from(given));
    return isSame && step > usedStep;
  });
  return matching[0];
}

/** New recovery codes as people read them, and what is stored of them. */
export async function newRecoveryCodes(): Promise<{
  readonly codes: readonly string[];
  readonly digests: readonly string[];
}> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32;
    return (text.match(GROUP) ?? []).join("-").toLowerCase();
  });
  return { codes, digests: codes.map(recoveryDigest) };
}

/** The digests that are left after a recovery code was used; `undefined` where it is not among them. */
export async function withoutRecoveryCode(
  code: string,
  digests: readonly string[],
): Promise<readonly string[] | undefined> {
  const given = recoveryDigest(code);
  const left = digests.filter((digest) => digest !== given);
  return left.length < digests.length ? left : undefined;
}

/** However it is written: apps show codes in groups, people copy them with spaces. */
function digits(code: string): string {
  const bare = code.replace(/[\s-]/g, "");
  return /^\d{6}$/.test(bare) ? bare : "-".repeat(DIGITS);
}

function recoveryDigest(code: string): string {
  const bare = code.replace(/[^a-z2-7]/gi, "").toLowerCase();
  return createHash("sha256").update(bare, "utf8").digest("base64url");
}

function totpOf(secret: string, issuer: string, label: string): TOTP {
  return new TOTP({ issuer, label, secret, algorithm: "SHA1", digits: DIGITS, period: PERIOD_SECONDS });
}

/** Apps read names until the first colon. A long name would make the code too fine for a camera. */
function short(name: string): string {
  return [...name.toWellFormed().replaceAll(":", " ")].slice(0, LABEL_MAX).join("");
}

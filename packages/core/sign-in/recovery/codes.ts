/**
 * The codes between the calls of the API: what the next call needs, sealed, so that nothing is stored for a request
 * that anybody can send. They say nothing of an account, and have the same form for every name.
 */
import { randomBytes } from "node:crypto";
import { Fault } from "../../kernel/faults.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { RecoveryKind } from "../../tokens/mail-model.ts";
import type { Asking } from "../mails/ask.ts";

/** The calls that take such a code. A code of one does not count at another. */
export type CodeStep = "recover" | "resend";

/** What a code carries. */
export interface Coded extends Pick<Asking, "tenant" | "about"> {
  readonly kind: RecoveryKind;
  /** The code of the recovery, which its link belongs to. */
  readonly flowCode: string;
}

const SECONDS = { recover: 15 * 60, resend: 60 * 60 } as const;

interface Sealed extends Coded {
  readonly until: number;
}

/** A new code of a recovery: 256 random bits. */
export function newFlowCode(): string {
  return randomBytes(32).toString("base64url");
}

export function sealCode(seal: Seal, step: CodeStep, coded: Coded, nowMs: number): string {
  const sealed: Sealed = { ...coded, until: Math.floor(nowMs / 1_000) + SECONDS[step] };
  return seal.seal(JSON.stringify(sealed), ownerOf(step, coded.kind));
}

/** Opens a code. Throws `recovery.code` for one that was changed, has ended, or is of another call or tenant. */
export function openCode(
  seal: Seal,
  step: CodeStep,
  text: string,
  { kind, tenant, nowMs }: Pick<Asking, "kind" | "tenant"> & { readonly nowMs: number },
): Coded {
  const sealed = opened(seal, text, ownerOf(step, kind));
  if (!sealed || sealed.tenant !== tenant || sealed.until * 1_000 <= nowMs) throw invalidCode();
  return sealed;
}

/** One sentence for every code that does not count: it does not say why. */
export function invalidCode(): Fault {
  return new Fault("recovery.code", "The code was used before, has ended, or is not one of this call. Begin again.");
}

function ownerOf(step: CodeStep, kind: Asking["kind"]): string {
  return `recovery code ${kind} ${step}`;
}

function opened(seal: Seal, text: string, owner: string): Sealed | undefined {
  try {
    // Only this service can seal a text that opens, so it has the form that it was given here.
    return JSON.parse(seal.open(text, owner)) as Sealed;
  } catch {
    return undefined;
  }
}

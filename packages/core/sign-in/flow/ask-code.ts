/** Asks for a one-time code, or to set codes up. */

import type { Factors } from "../../directory/credentials/factor-store.ts";
import { qualifiedName } from "../../directory/users/model.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type CodeForm, codePage, setupPage } from "../pages/factor-pages.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { type CodesSetup, mayAddPasskey, nextProof, type Standing } from "./factors.ts";
import { optionsOf, sealed } from "./proven-page.ts";
import { lackingWays } from "./ways.ts";

const { secretForApps, newSecret } = later(() => import("./totp.ts"), "secretForApps", "newSecret");

/** Asks for a one-time code, or a recovery code. */
export function askCode(
  asked: Asked,
  standing: Standing,
  factors: Factors,
  context: SignInContext,
  problem?: CodeForm["problem"],
): PageResult {
  const others = nextProof(asked, standing, factors, "code")?.others ?? [];
  const form = sealed("code", asked, standing, context);
  // Where the application does not take a code, it is asked for only because a passkey is created next.
  const options = lackingWays(asked.steps, standing.methods) ?? [];
  const mayAdd = options.includes("code") && options.includes("passkey");
  return codePage(
    {
      ...form,
      problem,
      others,
      mayAddPasskey: mayAdd && mayAddPasskey(factors.passkeys),
    },
    optionsOf(asked),
  );
}

/** Asks to take a secret over into an app: a new one, or the one that `setup` says. */
export async function askSetup(
  asked: Asked,
  standing: Standing,
  factors: Factors,
  context: SignInContext,
  { secret, replaces, problem }: Partial<CodesSetup> & Pick<CodeForm, "problem"> = {},
): Promise<PageResult> {
  const setup: CodesSetup = { secret: secret ?? (await newSecret()), ...(replaces !== undefined && { replaces }) };
  // The codes are those of the account, for all applications.
  const { home } = standing;
  const issuer = context.tools.settings.brandOf(home).name ?? home;
  const forApps = await secretForApps(setup.secret, { issuer, account: qualifiedName(standing.user) });
  const form = sealed("setup", asked, standing, context, { setup });
  const next = nextProof(asked, standing, factors, "code");
  const mayUsePasskey = next?.isNew === true && next.others.includes("passkey");
  return setupPage({ ...form, ...forApps, secret: setup.secret, problem, mayUsePasskey }, optionsOf(asked));
}

/** Asks for a passkey, or to create one. What the browser is asked for is in the page; its challenge in the form. */
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { qualifiedName } from "../../directory/users/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { type PasskeyForm, passkeyPage, passkeySetupPage } from "../pages/passkey-pages.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { mayAddPasskey, nextProof, type Standing } from "./factors.ts";
import { creationOptions, newHandle, randomText, requestOptions, siteOf } from "./passkey-site.ts";
import { optionsOf, sealed } from "./proven-page.ts";
import { lackingWays } from "./ways.ts";

/** Asks for a passkey of a user who has some. */
export function askPasskey(
  asked: Asked,
  standing: Standing,
  factors: Factors,
  context: SignInContext,
  problem?: PasskeyForm["problem"],
): PageResult {
  const { passkeys } = factors;
  if (!passkeys) throw new Error("a passkey is asked for that does not exist");
  const challenge = { text: randomText(), madeMs: context.now };
  const others = nextProof(asked, standing, factors, "passkey")?.others ?? [];
  // Where the application does not take a passkey, it is asked for only because codes are set up next.
  const options = lackingWays(asked.steps, standing.methods) ?? [];
  return passkeyPage(
    {
      ...sealed("passkey", asked, standing, context, { challenge }),
      problem,
      options: requestOptions(challenge.text, siteOf(context.origin), passkeys),
      others,
      mayAdd: options.includes("passkey") && mayAddPasskey(passkeys),
      mayAddCodes: options.includes("passkey") && options.includes("code") && !factors.totp,
    },
    optionsOf(asked),
  );
}

/** Asks to create a passkey: the first one, or one more of somebody who has proven a factor. */
export function askPasskeySetup(
  asked: Asked,
  standing: Standing,
  factors: Factors,
  context: SignInContext,
  problem?: PasskeyForm["problem"],
): PageResult {
  const { passkeys } = factors;
  // The passkey is of the account, for all applications.
  const { home } = standing;
  const challenge = {
    text: randomText(),
    madeMs: context.now,
    handle: passkeys?.handle ?? newHandle(standing.user.id),
  };
  const siteName = context.tools.settings.brandOf(home).name ?? home;
  const user = { handle: challenge.handle, name: qualifiedName(standing.user), siteName };
  const next = nextProof(asked, standing, factors, "passkey");
  return passkeySetupPage(
    {
      ...sealed("passkey-setup", asked, standing, context, { challenge }),
      problem,
      options: creationOptions(challenge.text, siteOf(context.origin), user, passkeys),
      mayUseCode: next?.isNew === true && next.others.includes("code"),
      maySkip: next === undefined,
    },
    optionsOf(asked),
  );
}

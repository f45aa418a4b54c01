/** What a protocol does with a request of a sign-in: the order of the steps is the same for all. */
import type { Client } from "../../../applications/registry/client-store.ts";
import type { Application } from "../../../applications/registry/model.ts";
import type { Step } from "../../../database/table/table.ts";
import type { PageResult } from "../../../kernel/operation/operation.ts";
import type { Language } from "../../pages/language.ts";
import type { Sending } from "../answers.ts";
import type { Asked } from "../asked.ts";
import type { AuthorizationError } from "../authorization-error.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import type { TenantFacts } from "../code.ts";
import type { SignInContext } from "../context.ts";
import type { Current } from "../session.ts";

/** Who asks for a sign-in. */
export interface Asker {
  readonly application: Application;
  readonly client: Client;
}

/** How the protocol of a request answers it. */
export interface Protocol {
  /** The asker as it is now; `undefined` where the request may not be answered any more. One round trip. */
  readonly find: (
    request: AuthorizationRequest,
    language: Language,
    context: SignInContext,
  ) => Promise<Asker | undefined>;
  /**
   * Answers for a user who is signed in and has agreed. `steps` store what has happened so far. One round trip at most.
   */
  readonly answer: (
    asked: Asked,
    current: Current,
    facts: TenantFacts,
    steps: readonly Step[],
    context: SignInContext,
  ) => Promise<PageResult>;
  /** Tells the asker why there is no such answer. */
  readonly tell: (
    error: AuthorizationError,
    sent: Sending & Pick<Asked, "request" | "browser">,
    context: SignInContext,
  ) => PageResult | Promise<PageResult>;
}

/**
 * Maps the authentication sequence between a file and the settings. Pure.
 *
 * | element below LocalAndOutBoundAuthenticationConfig | member of authenticationSequence |
 * | --- | --- |
 * | AuthenticationType | type: `default` is DEFAULT, any other word USER_DEFINED, written as `flow` |
 * | AuthenticationSteps/AuthenticationStep | steps of a USER_DEFINED sequence |
 * | .../StepOrder | steps.id |
 * | .../LocalAuthenticatorConfigs/LocalAuthenticatorConfig/Name | option with the provider LOCAL |
 * | .../FederatedIdentityProviders/FederatedIdentityProvider | option: IdentityProviderName and its authenticator |
 * | .../SubjectStep, AttributeStep | subjectStepId, attributeStepId: the step with true |
 * | AuthenticationScript without enabled="false" | script |
 *
 * Within a step, federated options precede local ones, as in WSO2 Identity Server. The element
 * RequestPathAuthenticatorConfigs is requestPathAuthenticators.
 */
import { LOCAL_IDP, localAuthenticators } from "../registry/authenticators.ts";
import { at, flagsNamed, isTrue, type Json, listed, type Part, put, type Shape, textsNamed } from "./parts.ts";
import { refuseFile } from "./read-xml.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

interface Option {
  readonly idp: string;
  readonly authenticator: string;
}
interface Step {
  readonly id: number;
  readonly options: readonly Option[];
}

const SEQUENCE = "authenticationSequence";
const DEFAULT_TYPE = "default";
const CUSTOM_TYPE = "flow";

const namedOnce: Shape = { is: "group", inside: textsNamed("Name") };
const providerShape: Shape = {
  is: "group",
  inside: {
    ...textsNamed("IdentityProviderName"),
    ...listed("FederatedAuthenticatorConfigs", "FederatedAuthenticatorConfig", namedOnce),
    // The name of the authenticator, or its settings.
    DefaultAuthenticatorConfig: { is: "group", inside: textsNamed("Name"), isMixed: true },
  },
};

/** The type and the steps. */
export const stepsPart: Part = {
  declares: {
    ...textsNamed("AuthenticationType"),
    ...listed("AuthenticationSteps", "AuthenticationStep", {
      is: "group",
      inside: {
        StepOrder: { is: "number", read: orderIn },
        ...flagsNamed("SubjectStep", "AttributeStep"),
        ...listed("LocalAuthenticatorConfigs", "LocalAuthenticatorConfig", namedOnce),
        ...listed("FederatedIdentityProviders", "FederatedIdentityProvider", providerShape),
      },
    }),
  },
  read(parent) {
    const type = typeOf(parent);
    const steps = type === "DEFAULT" ? [] : stepsOf(parent);
    const stepThat = (name: string): number => {
      const found = steps.find((step) => isTrue(step, name));
      return found ? orderOf(found) : 1;
    };
    const [subjectStepId, attributeStepId] = [stepThat("SubjectStep"), stepThat("AttributeStep")];
    return { [SEQUENCE]: { type, steps: steps.map(readStep), subjectStepId, attributeStepId } };
  },
  write(settings) {
    const steps = (at(settings, [SEQUENCE, "steps"]) ?? []) as readonly Step[];
    const isDefault = at(settings, [SEQUENCE, "type"]) === "DEFAULT";
    return [
      element(
        "AuthenticationSteps",
        steps.map((step) => writeStep(step, settings)),
      ),
      element("AuthenticationType", isDefault ? DEFAULT_TYPE : CUSTOM_TYPE),
    ];
  },
};

/** The script of adaptive authentication. */
export const scriptPart: Part = {
  declares: textsNamed("AuthenticationScript"),
  read(parent) {
    const script = find(parent, "AuthenticationScript");
    if (!script || script.text.trim() === "" || script.attributes.enabled === "false") return {};
    return put([SEQUENCE, "script"], script.text);
  },
  write(settings) {
    const script = at(settings, [SEQUENCE, "script"]) as string | undefined;
    const attributes = { enabled: "true", language: "application/javascript" };
    return script === undefined ? [] : [element("AuthenticationScript", script, attributes)];
  },
};

/** Authenticators that read the credential from the request itself. */
export const requestPathPart: Part = {
  declares: listed("RequestPathAuthenticatorConfigs", "RequestPathAuthenticatorConfig", namedOnce),
  read(root) {
    const list = find(root, "RequestPathAuthenticatorConfigs");
    const names = childrenOf(list, "RequestPathAuthenticatorConfig").map((config) => textAt(config, "Name") ?? "");
    return list ? put([SEQUENCE, "requestPathAuthenticators"], names) : {};
  },
  write(settings) {
    const names = (at(settings, [SEQUENCE, "requestPathAuthenticators"]) ?? []) as readonly string[];
    return [
      element(
        "RequestPathAuthenticatorConfigs",
        names.map((name) => named("RequestPathAuthenticatorConfig", name)),
      ),
    ];
  },
};

/** The authenticator of an identity provider. Exports of different releases have four forms. */
export function federatedAuthenticatorOf(provider: Element): string {
  const chosen = find(provider, "DefaultAuthenticatorConfig");
  const first = ["FederatedAuthenticatorConfigs", "FederatedAuthenticatorConfig", "Name"] as const;
  const bare = chosen && chosen.children.length === 0 ? chosen.text.trim() : "";
  return textAt(chosen, "Name") || textAt(chosen, ...first) || bare || textAt(provider, ...first) || "";
}

function typeOf(parent: Element): string {
  const word = textAt(parent, "AuthenticationType")?.trim();
  if (word) return word === DEFAULT_TYPE ? "DEFAULT" : "USER_DEFINED";
  return stepsOf(parent).length > 0 ? "USER_DEFINED" : "DEFAULT";
}

function stepsOf(parent: Element): readonly Element[] {
  return childrenOf(find(parent, "AuthenticationSteps"), "AuthenticationStep");
}

function readStep(step: Element): Step {
  const federated = childrenOf(find(step, "FederatedIdentityProviders"), "FederatedIdentityProvider");
  const local = childrenOf(find(step, "LocalAuthenticatorConfigs"), "LocalAuthenticatorConfig");
  return {
    id: orderOf(step),
    options: [
      ...federated.map((provider) => ({
        idp: textAt(provider, "IdentityProviderName") ?? "",
        authenticator: federatedAuthenticatorOf(provider),
      })),
      ...local.map((config) => ({ idp: LOCAL_IDP, authenticator: textAt(config, "Name") ?? "" })),
    ],
  };
}

function orderOf(step: Element): number {
  return orderIn(textAt(step, "StepOrder") ?? "", "StepOrder");
}

function orderIn(given: string, name: string): number {
  const order = given.trim();
  if (!/^\d{1,9}$/.test(order))
    throw refuseFile(`${name} must be a whole number of at most 9 digits, not '${order.slice(0, 100)}'.`);
  return Number(order);
}

function writeStep({ id, options }: Step, settings: Json): Element {
  const isLocal = ({ idp }: Option) => idp === LOCAL_IDP;
  const isStep = (member: string) => String(at(settings, [SEQUENCE, member]) === id);
  return element("AuthenticationStep", [
    element("StepOrder", String(id)),
    element(
      "LocalAuthenticatorConfigs",
      options.filter(isLocal).map(({ authenticator }) => named("LocalAuthenticatorConfig", authenticator)),
    ),
    element("FederatedIdentityProviders", options.filter((option) => !isLocal(option)).map(federated)),
    element("SubjectStep", isStep("subjectStepId")),
    element("AttributeStep", isStep("attributeStepId")),
  ]);
}

function federated({ idp, authenticator }: Option): Element {
  return element("FederatedIdentityProvider", [
    element("IdentityProviderName", idp),
    element("FederatedAuthenticatorConfigs", [
      element("FederatedAuthenticatorConfig", [element("Name", authenticator)]),
    ]),
    element("DefaultAuthenticatorConfig", [element("Name", authenticator)]),
  ]);
}

function named(name: string, authenticator: string): Element {
  return element(name, [
    element("Name", authenticator),
    element("DisplayName", localAuthenticators.get(authenticator)?.displayName ?? authenticator),
    element("IsEnabled", "false"),
    element("Properties"),
  ]);
}

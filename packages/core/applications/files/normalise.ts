/**
 * Moves content that releases of WSO2 Identity Server write in different places to the one that the mapping reads.
 * Pure.
 */
import { type Element, element, find, textAt } from "./tree.ts";

const SWITCH = "UseExternalizedConsentPage";
const CONSENT_SWITCHES = [SWITCH, "Enabled", "EnabledExternalizedConsentPage"];

/** The start of a PEM certificate, or of its Base64 form. */
const PEM = /BEGIN CERTIFICATE|^\s*LS0tLS1CRUdJTi/;

/** The tree of a file in the form that this service writes. */
export function normalised(root: Element): Element {
  return samlCertificate(consentSwitch(renamedProviders(root)));
}

/** Some releases write the certificate of a SAML application in the settings of its protocol. */
function samlCertificate(root: Element): Element {
  if (hasText(root, "Certificate") || hasText(root, "JwksUri")) return root;
  let certificate: string | undefined;
  const without = (given: Element): Element =>
    given.name === "samlssoServiceProviderDTO"
      ? withChild(given, "certificateContent", (content) => {
          if (certificate !== undefined || !PEM.test(content.text)) return content;
          certificate = content.text;
          return undefined;
        })
      : { ...given, children: given.children.map(without) };
  const rest = without(root);
  if (certificate === undefined) return root;
  const others = rest.children.filter(({ name }) => name !== "Certificate");
  return { ...rest, children: [...others, element("Certificate", certificate)] };
}

function hasText(root: Element, name: string): boolean {
  return (textAt(root, name) ?? "").trim() !== "";
}

/** Newer releases write the switch of the consent page inside its settings. */
function consentSwitch(root: Element): Element {
  return withChild(root, "LocalAndOutBoundAuthenticationConfig", (config) => {
    const page = find(config, "ExternalizedConsentPageConfig");
    const isOn = CONSENT_SWITCHES.some((name) => textAt(page, name)?.trim().toLowerCase() === "true");
    if (!page || !isOn) return config;
    const rest = withChild(config, "ExternalizedConsentPageConfig", (given) => {
      const children = given.children.filter(({ name }) => !CONSENT_SWITCHES.includes(name));
      return children.length > 0 ? { ...given, children } : undefined;
    });
    const others = rest.children.filter(({ name }) => name !== SWITCH);
    return { ...rest, children: [...others, element(SWITCH, "true")] };
  });
}

function withChild(parent: Element, name: string, change: (child: Element) => Element | undefined): Element {
  return {
    ...parent,
    children: parent.children.flatMap((child) => (child.name === name ? (change(child) ?? []) : child)),
  };
}

/** Releases name the identity providers of a step differently. */
function renamedProviders(given: Element): Element {
  const children = given.children.map(renamedProviders);
  if (given.name !== "FederatedIdentityProviders") return { ...given, children };
  const name = "FederatedIdentityProvider";
  return {
    ...given,
    children: children.map((child) => (child.name === "IdentityProvider" ? { ...child, name } : child)),
  };
}

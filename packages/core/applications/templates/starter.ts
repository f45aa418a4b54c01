/**
 * The starter templates: read-only, the same for every tenant (decision 0009). Their ids are those of WSO2 Identity
 * Server, which clients know; their content was written for this project. Each has the settings of its kind of
 * application, and omits what every application must have for itself: callback URLs, the SAML issuer, the realm.
 */
import type { Template } from "./model.ts";

const REFRESH = "refresh_token";
const CODE = "authorization_code";
const pkce = { mandatory: true, supportPlainTransformAlgorithm: false };

/** Code with PKCE and no secret: for applications whose users can read their code. */
const publicClient = {
  publicClient: true,
  pkce,
  accessToken: { type: "Default", userAccessTokenExpiryInSeconds: 3_600, applicationAccessTokenExpiryInSeconds: 3_600 },
  refreshToken: { expiryInSeconds: 86_400, renewRefreshToken: true },
};

const singlePage: Template = {
  id: "6a90e4b0-fbff-42d7-bfde-1efd98f07cd7",
  name: "Single-page application",
  description:
    "A web application that runs in the browser and calls APIs from there: code with PKCE, no client secret.",
  authenticationProtocol: "oidc",
  types: ["react", "angular", "vue"],
  category: "DEFAULT",
  templateGroup: "spa",
  displayOrder: 1,
  application: {
    name: "Single-page application",
    description: "Runs in the browser",
    advancedConfigurations: { skipLogoutConsent: true },
    inboundProtocolConfiguration: {
      oidc: {
        ...publicClient,
        grantTypes: [CODE, REFRESH],
        accessToken: { ...publicClient.accessToken, revokeTokensWhenIDPSessionTerminated: true },
      },
    },
  },
};

const oidcWeb: Template = {
  id: "b9c5e11e-fc78-484b-9bec-015d247561b8",
  name: "OIDC web application",
  description: "A web application with a server that keeps a client secret and signs users in with OpenID Connect.",
  authenticationProtocol: "oidc",
  types: ["java", "node", "dotnet", "php"],
  category: "DEFAULT",
  templateGroup: "web-application",
  displayOrder: 2,
  application: {
    name: "OIDC web application",
    description: "A web application with a server of its own",
    inboundProtocolConfiguration: { oidc: { grantTypes: [CODE, REFRESH], publicClient: false, pkce } },
  },
};

const samlWeb: Template = {
  id: "776a73da-fd8e-490b-84ff-93009f8ede85",
  name: "SAML web application",
  description:
    "A web application that signs users in with SAML 2.0: signed responses, attributes, single logout by post.",
  authenticationProtocol: "saml",
  types: ["java", "dotnet", "php"],
  category: "DEFAULT",
  templateGroup: "web-application",
  displayOrder: 3,
  application: {
    name: "SAML web application",
    description: "A service provider of SAML 2.0",
    inboundProtocolConfiguration: {
      saml: {
        manualConfiguration: {
          singleSignOnProfile: {
            bindings: ["HTTP_POST", "HTTP_REDIRECT"],
            assertion: { nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified" },
          },
          attributeProfile: { enabled: true, alwaysIncludeAttributesInResponse: true },
          responseSigning: { enabled: true, signingAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256" },
        },
      },
    },
  },
};

const federation: Template = {
  id: "passive-sts-web-application",
  name: "WS-Federation web application",
  description: "A web application that signs users in with WS-Federation (Passive STS), such as older ASP.NET ones.",
  authenticationProtocol: "passive-sts",
  types: ["dotnet"],
  category: "DEFAULT",
  templateGroup: "web-application",
  displayOrder: 4,
  application: {
    name: "WS-Federation web application",
    description: "A relying party of WS-Federation",
    inboundProtocolConfiguration: { passiveSts: {} },
  },
};

const mobile: Template = {
  id: "mobile-application",
  name: "Mobile application",
  description: "An app on a phone or tablet: code with PKCE through the system browser, no client secret.",
  authenticationProtocol: "oidc",
  types: ["android", "ios", "flutter", "react-native"],
  category: "DEFAULT",
  templateGroup: "mobile",
  displayOrder: 5,
  application: {
    name: "Mobile application",
    description: "An app on a phone or tablet",
    // People do not sign in to an app every day.
    inboundProtocolConfiguration: {
      oidc: {
        ...publicClient,
        grantTypes: [CODE, REFRESH],
        refreshToken: { ...publicClient.refreshToken, expiryInSeconds: 2_592_000 },
      },
    },
  },
};

const desktop: Template = {
  id: "df929521-6768-44f5-8586-624126ec3f8b",
  name: "Desktop application",
  description:
    "A program on a computer: code with PKCE through the system browser, with a callback on the loopback address.",
  authenticationProtocol: "oidc",
  types: ["windows", "macos", "linux"],
  category: "DEFAULT",
  templateGroup: "desktop",
  displayOrder: 6,
  application: {
    name: "Desktop application",
    description: "A program on a computer",
    // RFC 8252 section 7.3: the port is whichever is free.
    inboundProtocolConfiguration: {
      oidc: {
        ...publicClient,
        grantTypes: [CODE, REFRESH],
        callbackURLs: ["regexp=http://127\\.0\\.0\\.1:[0-9]{1,5}/callback"],
      },
    },
  },
};

const machine: Template = {
  id: "m2m-application",
  name: "Machine-to-machine application",
  description: "A service that calls APIs in its own name, with no user: client credentials.",
  authenticationProtocol: "oidc",
  types: ["service", "job"],
  category: "DEFAULT",
  templateGroup: "m2m",
  displayOrder: 7,
  application: {
    name: "Machine-to-machine application",
    description: "Calls APIs in its own name",
    inboundProtocolConfiguration: {
      oidc: {
        grantTypes: ["client_credentials"],
        accessToken: { type: "JWT", applicationAccessTokenExpiryInSeconds: 3_600 },
      },
    },
  },
};

const device: Template = {
  id: "device-application",
  name: "Device application",
  description: "A television, printer or command line without a browser: the user confirms a code on another device.",
  authenticationProtocol: "oidc",
  types: ["tv", "cli"],
  category: "DEFAULT",
  templateGroup: "device",
  displayOrder: 8,
  application: {
    name: "Device application",
    description: "Signs users in by a code that they confirm elsewhere",
    inboundProtocolConfiguration: {
      oidc: { grantTypes: ["urn:ietf:params:oauth:grant-type:device_code", REFRESH], publicClient: true },
    },
  },
};

const custom: Template = {
  id: "custom-application",
  name: "Custom application",
  description: "An application with no protocol yet: users sign in with name and password and a second factor.",
  category: "DEFAULT",
  displayOrder: 9,
  application: {
    name: "Custom application",
    authenticationSequence: {
      type: "USER_DEFINED",
      steps: [
        { id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] },
        { id: 2, options: [{ idp: "LOCAL", authenticator: "totp" }] },
      ],
      subjectStepId: 1,
      attributeStepId: 1,
    },
  },
};

/** The starter templates, in the order of the list. */
export const starterTemplates: readonly Template[] = [
  singlePage,
  oidcWeb,
  samlWeb,
  federation,
  mobile,
  desktop,
  machine,
  device,
  custom,
];

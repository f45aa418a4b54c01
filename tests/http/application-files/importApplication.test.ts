import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  entry,
  exported,
  fileOf,
  idIn,
  leavesOf,
  MULTIPART_TYPE,
  multipart,
  oauthEntry,
  property,
  samlEntry,
  sampleFile,
  upload,
} from "#tests/support/files.ts";
import { addUser } from "#tests/support/people.ts";
import { allItems, liveItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const at = (id: string) => `${APPLICATIONS}/${id}`;
const read = async (id: string, below = "") => (await ask("GET", `${at(id)}${below}`)).body;
const total = async () => (await ask("GET", APPLICATIONS)).body.totalResults as number;
const imported = async (file: string): Promise<string> => {
  const answer = await upload(api, "POST", file);
  if (answer.status !== 201) throw new Error(`import answered ${answer.status}: ${answer.text}`);
  return idIn(answer);
};
const notices = async (file: string): Promise<{ element: string; reason: string }[]> =>
  (await upload(api, "POST", file)).body.notHonoured;

describe("WSO2's own sample", async () => {
  const sample = await sampleFile();
  test("returns 201, its location, and a report of elements without effect", async () => {
    const answer = await upload(api, "POST", sample);
    expect(answer.status).toBe(201);
    expect(new URL(answer.headers.get("location") ?? "").pathname).toBe(`/t/carbon.super${at(idIn(answer))}`);
    expect(answer.body).toMatchObject({ applicationId: idIn(answer), name: "SampleApp" });
    expect(answer.body.notHonoured.map(({ element }: { element: string }) => element)).toEqual([
      "oAuthAppDO/callbackUrl",
      "InboundAuthenticationConfig/passivests",
      "InboundAuthenticationConfig/openid",
    ]);
  });
  test("has its client id, callback, grants, claims and steps", async () => {
    const { body } = await ask("GET", `${APPLICATIONS}?filter=name+eq+SampleApp&attributes=clientId`);
    const { id, clientId } = body.applications[0];
    expect(clientId).toBe("poDtAkOE87tXnQkSGSHKxH94vrAa");
    const shown = await read(id);
    expect(shown).toMatchObject({
      name: "SampleApp",
      clientId: "poDtAkOE87tXnQkSGSHKxH94vrAa",
      claimConfiguration: { dialect: "LOCAL", claimMappings: [], role: { includeUserDomain: true } },
      authenticationSequence: {
        type: "DEFAULT",
        steps: [{ id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] }],
      },
      inboundProtocols: [{ type: "oauth2" }, { type: "passivests" }, { type: "openid" }],
    });
    expect(await read(id, "/inbound-protocols/oidc")).toMatchObject({
      clientId: "poDtAkOE87tXnQkSGSHKxH94vrAa",
      clientSecret: expect.stringMatching(/^iacs_[0-9A-Za-z]{49}$/),
      state: "ACTIVE",
      callbackURLs: ["http://localhost.com:8080/pickup-dispatch/oauth2client"],
      grantTypes: [
        "refresh_token",
        "urn:ietf:params:oauth:grant-type:saml2-bearer",
        "implicit",
        "password",
        "client_credentials",
        "iwa:ntlm",
        "authorization_code",
        "account_switch",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
      ],
      pkce: { mandatory: false, supportPlainTransformAlgorithm: true },
      refreshToken: { expiryInSeconds: 86400, renewRefreshToken: true },
      idToken: { encryption: { enabled: false, algorithm: "", method: "" } },
    });
    expect(await read(id, "/authenticators")).toMatchObject([{ stepId: 1 }]);
  });
  test("survives export, deletion and import without a loss", async () => {
    const { body } = await ask("GET", `${APPLICATIONS}?filter=name+eq+SampleApp`);
    const { id } = body.applications[0];
    const before = [await read(id), await read(id, "/inbound-protocols/oidc")];
    const file = await exported(api, id, "?exportSecrets=true");
    expect(leavesOf(file)).toEqual(expect.arrayContaining(leavesOf(sample)));
    await ask("DELETE", at(id));
    const again = await imported(file);
    const after = [await read(again), await read(again, "/inbound-protocols/oidc")];
    expect(JSON.parse(JSON.stringify(after).replaceAll(again, id))).toEqual(before);
    expect(await exported(api, again, "?exportSecrets=true")).toBe(file);
  });
});

describe("the content of a file", () => {
  const steps = `<AuthenticationSteps>
    <AuthenticationStep><StepOrder>2</StepOrder>
      <LocalAuthenticatorConfigs><LocalAuthenticatorConfig><Name>totp</Name><DisplayName>one-time</DisplayName><IsEnabled>true</IsEnabled><Tags>MFA</Tags></LocalAuthenticatorConfig></LocalAuthenticatorConfigs>
      <FederatedIdentityProviders>
        <IdentityProvider><IdentityProviderName>Partner</IdentityProviderName><DefaultAuthenticatorConfig>SAMLSSOAuthenticator</DefaultAuthenticatorConfig></IdentityProvider>
        <FederatedIdentityProvider><IdentityProviderName>Google</IdentityProviderName><Alias>g</Alias>
          <FederatedAuthenticatorConfigs><FederatedAuthenticatorConfig><Name>GoogleOIDCAuthenticator</Name><Properties>${property("ClientSecret", "hush-hush", true)}</Properties></FederatedAuthenticatorConfig></FederatedAuthenticatorConfigs>
        </FederatedIdentityProvider>
      </FederatedIdentityProviders><SubjectStep>true</SubjectStep><AttributeStep>false</AttributeStep></AuthenticationStep>
    <AuthenticationStep><StepOrder>1</StepOrder>
      <LocalAuthenticatorConfigs><LocalAuthenticatorConfig><Name>BasicAuthenticator</Name></LocalAuthenticatorConfig></LocalAuthenticatorConfigs>
      <FederatedIdentityProviders/><SubjectStep>false</SubjectStep><AttributeStep>true</AttributeStep></AuthenticationStep>
  </AuthenticationSteps><AuthenticationType>local</AuthenticationType>
  <AuthenticationScript enabled="true" language="application/javascript"><![CDATA[var a = 1 < 2 && "<!DOCTYPE x>"; // ]]]]><![CDATA[> ]]></AuthenticationScript>
  <subjectClaimUri>mail</subjectClaimUri><UseUserstoreDomainInRoles>FALSE</UseUserstoreDomainInRoles><SkipConsent> true </SkipConsent>`;
  const rest = `<Description> a &amp; b </Description>
  <ClaimConfig><RoleClaimURI>who</RoleClaimURI><LocalClaimDialect>false</LocalClaimDialect>
    <ClaimMappings>
      <ClaimMapping><LocalClaim><ClaimUri>http://wso2.org/claims/emailaddress</ClaimUri><claimId>7</claimId></LocalClaim><RemoteClaim><ClaimUri>mail</ClaimUri><claimId>0</claimId></RemoteClaim><DefaultValue>nobody@example.com</DefaultValue><RequestClaim>true</RequestClaim><MandatoryClaim>true</MandatoryClaim></ClaimMapping>
      <ClaimMapping><LocalClaim><ClaimUri>http://wso2.org/claims/username</ClaimUri></LocalClaim><RemoteClaim><ClaimUri>who</ClaimUri></RemoteClaim><RequestClaim>false</RequestClaim></ClaimMapping>
    </ClaimMappings><AlwaysSendMappedLocalSubjectId>true</AlwaysSendMappedLocalSubjectId>
    <SPClaimDialects><SPClaimDialect>urn:dialect</SPClaimDialect></SPClaimDialects></ClaimConfig>
  <PermissionAndRoleConfig><Permissions><ApplicationPermission><value>p1</value></ApplicationPermission><ApplicationPermission><value>p2</value></ApplicationPermission></Permissions>
    <RoleMappings><RoleMapping><localRole><LocalRoleName>admin</LocalRoleName><UserStoreId>S</UserStoreId></localRole><remoteRole>boss</remoteRole></RoleMapping></RoleMappings></PermissionAndRoleConfig>
  <RequestPathAuthenticatorConfigs><RequestPathAuthenticatorConfig><Name>OAuthRequestPathAuthenticator</Name></RequestPathAuthenticatorConfig></RequestPathAuthenticatorConfigs>
  <InboundProvisioningConfig><ProvisioningUserStore>PRIMARY</ProvisioningUserStore><IsDumbModeEnabled>true</IsDumbModeEnabled></InboundProvisioningConfig>
  <OutboundProvisioningConfig><ProvisioningIdentityProviders><IdentityProvider><IdentityProviderName>HR</IdentityProviderName>
    <ProvisioningConnectorConfigs><ProvisioningConnectorConfig><name>scim2</name></ProvisioningConnectorConfig></ProvisioningConnectorConfigs>
    <DefaultProvisioningConnectorConfig><name>scim2</name><enabled>true</enabled><blocking>true</blocking><rulesEnabled>false</rulesEnabled></DefaultProvisioningConnectorConfig>
    <JustInTimeProvisioningConfig><IsProvisioningEnabled>true</IsProvisioningEnabled><PromptConsent>true</PromptConsent></JustInTimeProvisioningConfig></IdentityProvider></ProvisioningIdentityProviders></OutboundProvisioningConfig>
  <IsSaaSApp>true</IsSaaSApp><ImageUrl>https://example.com/i.png</ImageUrl><AccessUrl>https://example.com</AccessUrl><IsDiscoverable>true</IsDiscoverable>
  <TemplateId>custom</TemplateId><ApplicationVersion>v1.0.0</ApplicationVersion><IsManagementApp>true</IsManagementApp>
  <AssociatedRolesConfig><AllowedAudience>APPLICATION</AllowedAudience><AssociatedRoles><AssociatedRole><Id>1</Id><Name>r</Name></AssociatedRole></AssociatedRoles></AssociatedRolesConfig>
  <ClientAttestationMetaData><IsAttestationEnabled>true</IsAttestationEnabled><AndroidPackageName>com.example</AndroidPackageName><AndroidAttestationServiceCredentials>{"private_key":"hush-hush"}</AndroidAttestationServiceCredentials></ClientAttestationMetaData>
  <TrustedAppMetadata><AndroidThumbprints>AA:BB, CC:DD</AndroidThumbprints><IsFidoTrusted>true</IsFidoTrusted></TrustedAppMetadata>
  <unheard:of xmlns:unheard="urn:x" a="1 &lt; 2"><deep><deeper>yes</deeper></deep></unheard:of>`;
  const inbound = [
    oauthEntry(
      "rich",
      `<oauthConsumerSecret>a-secret-of-the-file-7Qx2</oauthConsumerSecret><oauthConsumerSecretExpiryTime>99</oauthConsumerSecretExpiryTime><state>REVOKED</state><scopeValidators><scopeValidator>Role based scope validator</scopeValidator><scopeValidator>XACML Scope Validator</scopeValidator></scopeValidators><idTokenExpiryTime>0</idTokenExpiryTime><tokenType>JWT</tokenType><hybridFlowEnabled>true</hybridFlowEnabled><accessTokenClaims><accessTokenClaim>mail</accessTokenClaim></accessTokenClaims>`,
    ),
    samlEntry(
      "https://rich.example",
      "<nameIDFormat>urn/oasis/names/tc/SAML/1.1/nameid-format/emailAddress</nameIDFormat><attributeConsumingServiceIndex>1417991331</attributeConsumingServiceIndex><enableAttributeProfile>false</enableAttributeProfile><doSingleLogout>true</doSingleLogout><doFrontChannelLogout>true</doFrontChannelLogout><frontChannelLogoutBinding>HTTPPostBinding</frontChannelLogoutBinding><samlECP>true</samlECP><enableSAML2ArtifactBinding>true</enableSAML2ArtifactBinding>",
    ),
    entry("passivests", "urn:rich", undefined, property("passiveSTSWReply", "https://rich.example/sts")),
    entry("cas", "whatever", undefined, property("serviceURL", "https://rich.example/cas") + property("unknown", "1")),
    entry("some-connector", "k", "<settings/>", property("password", "hush-hush", true)),
  ].join("");
  const rich = fileOf({ name: "rich", signIn: steps, extra: rest, inbound });

  test("becomes settings of every part of the application", async () => {
    const id = await imported(rich);
    expect(await read(id)).toMatchObject({
      description: " a & b ",
      imageUrl: "https://example.com/i.png",
      accessUrl: "https://example.com",
      templateId: "custom",
      isManagementApp: true,
      claimConfiguration: {
        dialect: "CUSTOM",
        claimMappings: [
          { applicationClaim: "mail", localClaim: { uri: "http://wso2.org/claims/emailaddress" } },
          { applicationClaim: "who", localClaim: { uri: "http://wso2.org/claims/username" } },
        ],
        requestedClaims: [{ claim: { uri: "mail" }, mandatory: true }],
        subject: { claim: { uri: "mail" }, useMappedLocalSubject: true },
        role: {
          claim: { uri: "who" },
          includeUserDomain: false,
          mappings: [{ localRole: "admin", applicationRole: "boss" }],
        },
      },
      authenticationSequence: {
        type: "USER_DEFINED",
        steps: [
          { id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] },
          {
            id: 2,
            options: [
              { idp: "Partner", authenticator: "SAMLSSOAuthenticator" },
              { idp: "Google", authenticator: "GoogleOIDCAuthenticator" },
              { idp: "LOCAL", authenticator: "totp" },
            ],
          },
        ],
        requestPathAuthenticators: ["OAuthRequestPathAuthenticator"],
        script: 'var a = 1 < 2 && "<!DOCTYPE x>"; // ]]> ',
        subjectStepId: 2,
        attributeStepId: 1,
      },
      advancedConfigurations: {
        saas: true,
        discoverableByEndUsers: true,
        skipLoginConsent: true,
        attestationMetaData: { enableClientAttestation: true, androidPackageName: "com.example" },
        trustedAppConfiguration: { isFIDOTrustedApp: true, androidThumbprints: ["AA:BB", "CC:DD"] },
      },
      provisioningConfigurations: {
        inboundProvisioning: { proxyMode: true, provisioningUserstoreDomain: "PRIMARY" },
        outboundProvisioningIdps: [{ idp: "HR", connector: "scim2", blocking: true, rules: false, jit: true }],
      },
    });
    const protocols = (await read(id, "/inbound-protocols/")).map(({ type }: { type: string }) => type);
    expect(protocols).toEqual(["samlsso", "oauth2", "passivests", "cas", "some-connector"]);
    expect(await read(id, "/inbound-protocols/oidc")).toMatchObject({
      clientSecret: "a-secret-of-the-file-7Qx2",
      state: "REVOKED",
      scopeValidators: ["Role based scope validator"],
      idToken: { expiryInSeconds: 3600 },
      accessToken: { type: "JWT", accessTokenAttributes: ["mail"] },
    });
    expect(await read(id, "/inbound-protocols/saml")).toMatchObject({
      issuer: "https://rich.example",
      attributeProfile: { enabled: true },
      responseSigning: { enabled: false },
      requestValidation: { enableSignatureValidation: false },
      singleLogoutProfile: { enabled: true, logoutMethod: "FRONTCHANNEL_HTTP_POST" },
      singleSignOnProfile: {
        bindings: ["HTTP_POST", "HTTP_REDIRECT", "ARTIFACT"],
        attributeConsumingServiceIndex: "1417991331",
        assertion: { nameIdFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress" },
      },
    });
    expect(await read(id, "/inbound-protocols/passive-sts")).toEqual({
      realm: "urn:rich",
      replyTo: "https://rich.example/sts",
    });
    expect((await read(id, "/inbound-protocols/cas")).properties).toContainEqual({
      key: "serviceURL",
      value: "https://rich.example/cas",
      friendlyName: "Service URL",
    });
  });
  test("is complete in an export", async () => {
    const { body } = await ask("GET", `${APPLICATIONS}?filter=name+eq+rich`);
    const file = await exported(api, body.applications[0].id, "?exportSecrets=true");
    // This file has another form for the authenticator of the provider.
    const missing = leavesOf(rich).filter((leaf) => !leavesOf(file).includes(leaf));
    expect(missing.map((leaf) => leaf.replace(/.*\//, ""))).toEqual([
      "IdentityProviderName=Partner",
      "DefaultAuthenticatorConfig=SAMLSSOAuthenticator",
    ]);
    expect(leavesOf(file)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/FederatedIdentityProvider\/IdentityProviderName=Partner$/),
        expect.stringMatching(/FederatedIdentityProvider\/DefaultAuthenticatorConfig\/Name=SAMLSSOAuthenticator$/),
      ]),
    );
  });
  test("has no secrets in an export without them, and none in clear text in the table", async () => {
    const { body } = await ask("GET", `${APPLICATIONS}?filter=name+eq+rich`);
    expect(await exported(api, body.applications[0].id)).not.toMatch(
      /hush-hush|a-secret-of-the-file-7Qx2|ExpiryTime>99/,
    );
    expect(await exported(api, body.applications[0].id, "?exportSecrets=true")).toMatch(/hush-hush/);
    expect(JSON.stringify(await allItems(api.service))).not.toMatch(/hush-hush|a-secret-of-the-file-7Qx2/);
  });
  test("is reported if it has no effect, without values that may be secret", async () => {
    const reported = await notices(
      rich.replace(">rich<", ">reported<").replaceAll("urn:rich", "urn:r").replaceAll("rich", "reported"),
    );
    const text = JSON.stringify(reported);
    for (const name of [
      "some-connector",
      "hybridFlowEnabled",
      "oauthConsumerSecretExpiryTime",
      "scopeValidator",
      "samlECP",
      "Permissions",
      "AssociatedRolesConfig",
      "SPClaimDialects",
      "DefaultValue",
      "unheard:of",
      "PromptConsent",
      "AndroidAttestationServiceCredentials",
    ]) {
      expect(text).toContain(name);
    }
    expect(text).not.toMatch(/hush-hush|DisplayName|claimId|ApplicationVersion|ClaimConfig\/IdpClaim/);
    expect(reported.length).toBeLessThan(30);
  });
  test("does not set the owner: the caller becomes the owner", async () => {
    const owner = "<Owner><UserName>mallory</UserName><TenantDomain>evil.com</TenantDomain></Owner>";
    const userId = await addUser(api.service, {
      username: "importer",
      password: "a long enough password",
      scopes: ["internal_application_mgt_create"],
    });
    const as = { username: "importer", password: "a long enough password" };
    const answer = await upload(api, "POST", fileOf({ name: "owned", extra: owner }), as);
    expect(answer.status).toBe(201);
    const item = (await liveItems(api.service)).find(({ application }) =>
      JSON.stringify(application ?? "").includes("owned"),
    );
    expect(item?.PK).toContain("carbon.super");
    expect(item?.application).toMatchObject({ ownerId: userId });
  });
  test("may be a name only", async () => {
    const id = await imported("<ServiceProvider><ApplicationName>bare</ApplicationName></ServiceProvider>");
    const made = await create({ name: "bare too" });
    const [a, b] = [await read(id), await read(made)];
    expect({ ...a, id: "", name: "" }).toEqual({ ...b, id: "", name: "" });
  });
  test("may have settings as elements instead of CDATA, as in newer exports", async () => {
    const inside = `<InboundAuthenticationRequestConfig><InboundAuthKey>inline</InboundAuthKey><InboundAuthType>oauth2</InboundAuthType>
      <InboundConfigurationProtocol><oauthConsumerKey>inline</oauthConsumerKey><grantTypes>client_credentials</grantTypes></InboundConfigurationProtocol></InboundAuthenticationRequestConfig>`;
    const id = await imported(fileOf({ name: "inline", inbound: inside }));
    expect(await read(id, "/inbound-protocols/oidc")).toMatchObject({
      clientId: "inline",
      grantTypes: ["client_credentials"],
    });
  });
  test("may have a byte order mark, comments, and blanks before a CDATA document", async () => {
    const file = fileOf({ name: "layout", inbound: oauthEntry("layout").replace("<![CDATA[", "\n <![CDATA[\n  ") });
    const answer = await upload(
      api,
      "POST",
      `\uFEFF${file.replace("<ServiceProvider>", "<!-- <evil/> --><ServiceProvider>")}`,
    );
    expect(answer.status).toBe(201);
    expect((await read(idIn(answer))).clientId).toBe("layout");
  });
});

describe("a refused request changes nothing:", async () => {
  const post = (raw: string | Uint8Array, contentType = MULTIPART_TYPE) =>
    ask("POST", `${APPLICATIONS}/import`, { raw, headers: { "content-type": contentType } });
  const file = (content: string | Uint8Array) => multipart({ name: "file", content });
  const good = fileOf({ name: "never" });
  const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>`;
  const withProlog = (prolog: string, inside = "") =>
    good.replace("<ServiceProvider>", `${prolog}<ServiceProvider>${inside}`);
  const oauth = (inside: string) => file(fileOf({ name: "never", inbound: oauthEntry("never", inside) }));

  const withExact = (at: readonly unknown[], read: unknown, value: unknown) => {
    const seen = createHash("sha256")
      .update(JSON.stringify(read) ?? "")
      .digest("base64url")
      .slice(0, 22);
    const exact = JSON.stringify([{ at, read: seen, value }]);
    const extra = `<ClaimConfig><ClaimMappings/></ClaimConfig><ExactSettings><![CDATA[${exact}]]></ExactSettings>`;
    return fileOf({ name: "exact", extra });
  };

  /** The numbers of applications and of rows. No case changes them, so they are read before the first one only. */
  const state = async () => ({ total: await total(), items: (await liveItems(api.service)).length });
  let before: Awaited<ReturnType<typeof state>> | undefined;

  type Refusal = [string, () => Promise<{ status: number; body: unknown }>, number, string, RegExp];
  test.each<Refusal>([
    ["JSON", () => ask("POST", `${APPLICATIONS}/import`, { body: {} }), 415, "415", /multipart\/form-data/],
    ["XML without multipart", () => post(good, "application/xml"), 415, "415", /multipart\/form-data/],
    [
      "no body",
      () => ask("POST", `${APPLICATIONS}/import`, { headers: { "content-type": MULTIPART_TYPE } }),
      400,
      "UE-10000",
      /body/,
    ],
    ["multipart without a boundary", () => post(file(good), "multipart/form-data"), 400, "UE-10000", /boundary/],
    [
      "multipart that breaks off",
      () => post(file(good).subarray(0, 300)),
      400,
      "APP-60001",
      /not an exported application/,
    ],
    ["multipart that breaks off in a header", () => post(file(good).subarray(0, 60)), 400, "UE-10000", /ends before/],
    ["text for multipart", () => post("hello"), 400, "UE-10000", /ends before/],
    ["no part file", () => post(multipart({ name: "application", content: good })), 400, "UE-10000", /file/],
    ["no part at all", () => post(multipart()), 400, "UE-10000", /file/],
    [
      "two parts file",
      () => post(multipart({ name: "file", content: good }, { name: "file", content: good })),
      400,
      "UE-10000",
      /more than one part named "file"/,
    ],
    [
      "another part in addition",
      () => post(multipart({ name: "file", content: good }, { name: "x", content: "" })),
      400,
      "UE-10000",
      /x/,
    ],
    [
      "20 parts",
      () => post(multipart(...Array.from({ length: 20 }, (_, n) => ({ name: `p${n}`, content: "" })))),
      400,
      "UE-10000",
      /parts/,
    ],
    [
      "a part without a name",
      () => post(multipart({ headers: "Content-Disposition: form-data", content: good })),
      400,
      "UE-10000",
      /name/,
    ],
    ["a part named __proto__", () => post(multipart({ name: "__proto__", content: good })), 400, "UE-10000", /./],
    ["an empty file", () => post(file("")), 400, "APP-60001", /not an exported application/],
    ["no XML", () => post(file("hello")), 400, "APP-60001", /not an exported application/],
    ["JSON in the file", () => post(file('{"name":"never"}')), 400, "APP-60001", /not an exported application/],
    ["a file that breaks off", () => post(file(good.slice(0, -30))), 400, "APP-60001", /not an exported application/],
    [
      "a file that breaks off in a tag",
      () => post(file(good.slice(0, 60))),
      400,
      "APP-60001",
      /not an exported application/,
    ],
    ["another root", () => post(file("<IdentityProvider/>")), 400, "APP-60001", /ServiceProvider/],
    [
      "a document type",
      () => post(file(withProlog("<!DOCTYPE ServiceProvider>"))),
      400,
      "APP-60001",
      /[Dd]ocument type/,
    ],
    [
      "a billion laughs",
      () => post(file(withProlog(laughs, "<Description>&c;</Description>"))),
      400,
      "APP-60001",
      /[Dd]ocument type/,
    ],
    [
      "a file of the server",
      () =>
        post(
          file(withProlog('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>', "<Description>&f;</Description>")),
        ),
      400,
      "APP-60001",
      /[Dd]ocument type/,
    ],
    [
      "a document type of another host",
      () => post(file(withProlog('<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">'))),
      400,
      "APP-60001",
      /[Dd]ocument type/,
    ],
    [
      "an undeclared entity",
      () => post(file(withProlog("", "<Description>&undeclared;</Description>"))),
      400,
      "APP-60001",
      /entity|reference/i,
    ],
    [
      "a document type inside the client's document",
      () =>
        post(
          file(
            fileOf({
              name: "never",
              inbound: entry(
                "oauth2",
                "never",
                `${laughs}<oAuthAppDO><oauthConsumerKey>&c;</oauthConsumerKey></oAuthAppDO>`,
              ),
            }),
          ),
        ),
      400,
      "APP-60001",
      /oauth2.*[Dd]ocument type/,
    ],
    ["UTF-16", () => post(file(Buffer.from(good, "utf16le"))), 400, "APP-60001", /./],
    [
      "Latin-1 bytes",
      () => post(file(Buffer.from(withProlog("", "<Description>é</Description>"), "latin1"))),
      400,
      "APP-60001",
      /UTF-8/,
    ],
    [
      "another declared encoding",
      () => post(file(good.replace("UTF-8", "ISO-8859-1"))),
      400,
      "APP-60001",
      /ISO-8859-1/,
    ],
    [
      "31 levels",
      () => post(file(withProlog("", `${"<a>".repeat(31)}${"</a>".repeat(31)}`))),
      400,
      "APP-60001",
      /levels/,
    ],
    [
      "100,000 levels after attributes",
      () => post(file(withProlog("", `${'<a x=">">'.repeat(100_000)}`))),
      400,
      "APP-60001",
      /levels/,
    ],
    ["a million elements", () => post(file(withProlog("", "<a/>".repeat(1_000_000)))), 400, "APP-60001", /elements/],
    [
      "4.3 MB",
      () => post(file(withProlog("", `<Description>${"x".repeat(4_200_000)}</Description>`))),
      413,
      "413",
      /bytes/,
    ],
    ["6 MB", () => post(file(withProlog("", `<Description>${"x".repeat(6_000_000)}</Description>`))), 413, "413", /./],
    ["no name", () => post(file("<ServiceProvider/>")), 400, "APP-60001", /name is required/],
    [
      "two names",
      () => post(file(withProlog("", "<ApplicationName>b</ApplicationName>"))),
      400,
      "APP-60001",
      /more than one/,
    ],
    ["a blank name", () => post(file(good.replace(">never<", "> <"))), 400, "APP-60001", /cannot be empty/],
    ["a letter that names do not have", () => post(file(good.replace(">never<", ">a@b<"))), 400, "APP-60001", /a@b/],
    ["the name of a portal", () => post(file(good.replace(">never<", ">Console<"))), 400, "APP-60515", /portal/],
    [
      "the resident application's name",
      () => post(file(good.replace(">never<", ">wso2carbon-local-sp<"))),
      409,
      "APP-60007",
      /exists/,
    ],
    [
      "a description of 1,025 characters",
      () => post(file(withProlog("", `<Description>${"d".repeat(1025)}</Description>`))),
      400,
      "APP-60001",
      /description/,
    ],
    [
      "an invalid boolean",
      () => post(file(withProlog("", "<IsSaaSApp>maybe</IsSaaSApp>"))),
      400,
      "APP-60001",
      /IsSaaSApp/,
    ],
    [
      "discoverable without an address",
      () => post(file(withProlog("", "<IsDiscoverable>true</IsDiscoverable>"))),
      400,
      "APP-60001",
      /accessURL/,
    ],
    [
      "an invalid certificate",
      () => post(file(withProlog("", "<Certificate>abc</Certificate>"))),
      400,
      "APP-60001",
      /certificate/,
    ],
    [
      "an unknown authenticator",
      () =>
        post(
          file(
            fileOf({
              name: "never",
              signIn:
                "<AuthenticationSteps><AuthenticationStep><StepOrder>1</StepOrder><LocalAuthenticatorConfigs><LocalAuthenticatorConfig><Name>Homegrown</Name></LocalAuthenticatorConfig></LocalAuthenticatorConfigs></AuthenticationStep></AuthenticationSteps>",
            }),
          ),
        ),
      400,
      "APP-60001",
      /Homegrown/,
    ],
    [
      "a step without an order",
      () =>
        post(
          file(fileOf({ name: "never", signIn: "<AuthenticationSteps><AuthenticationStep/></AuthenticationSteps>" })),
        ),
      400,
      "APP-60001",
      /StepOrder/,
    ],
    [
      "a client id that its document has not",
      () => post(file(fileOf({ name: "never", inbound: oauthEntry("never", "", "other") }))),
      400,
      "APP-60001",
      /differ/,
    ],
    [
      "two clients",
      () => post(file(fileOf({ name: "never", inbound: oauthEntry("never") + oauthEntry("ever") }))),
      400,
      "APP-60001",
      /more than once/,
    ],
    [
      "an unknown grant",
      () =>
        post(
          file(
            fileOf({
              name: "never",
              inbound: entry(
                "oauth2",
                "n",
                "<oAuthAppDO><oauthConsumerKey>n</oauthConsumerKey><grantTypes>magic</grantTypes></oAuthAppDO>",
              ),
            }),
          ),
        ),
      400,
      "APP-60001",
      /magic/,
    ],
    [
      "a client's document with another root",
      () => post(file(fileOf({ name: "never", inbound: entry("oauth2", "never", "<x/>") }))),
      400,
      "APP-60001",
      /oAuthAppDO/,
    ],
    [
      "no XML in a client's document",
      () => post(file(fileOf({ name: "never", inbound: entry("oauth2", "never", "hello") }))),
      400,
      "APP-60001",
      /oauth2/,
    ],
    [
      "a lifetime in words",
      () => post(oauth("<idTokenExpiryTime>long</idTokenExpiryTime>")),
      400,
      "APP-60001",
      /idTokenExpiryTime/,
    ],
    [
      "an unknown scope validator",
      () => post(oauth("<scopeValidators><scopeValidator>mine</scopeValidator></scopeValidators>")),
      400,
      "APP-60001",
      /mine/,
    ],
    ["a state that clients do not have", () => post(oauth("<state>SLEEPING</state>")), 400, "APP-60001", /state/],
    [
      "a SAML issuer with @",
      () => post(file(fileOf({ name: "never", inbound: samlEntry("a@b") }))),
      400,
      "APP-60001",
      /@/,
    ],
    [
      "400 KB that have no effect",
      () => post(file(withProlog("", `<x>${"y".repeat(400_000)}</x>`))),
      400,
      "APP-60001",
      /at most 300000/,
    ],
    [
      "damaged exact settings",
      () => post(file(withProlog("", "<ExactSettings>{}</ExactSettings>"))),
      400,
      "APP-60001",
      /ExactSettings/,
    ],
    [
      "exact settings under a dangerous name",
      () =>
        post(
          file(
            withProlog(
              "",
              '<ExactSettings>[{"at":["__proto__","polluted"],"read":"47DEQpj8HBSa-_TImW-5JC","value":1}]</ExactSettings>',
            ),
          ),
        ),
      400,
      "APP-60001",
      /ExactSettings/,
    ],
    [
      "exact settings under the name of a constructor",
      () =>
        post(
          file(
            withProlog(
              "",
              '<ExactSettings>[{"at":["constructor","prototype","polluted"],"read":"47DEQpj8HBSa-_TImW-5JC","value":1}]</ExactSettings>',
            ),
          ),
        ),
      400,
      "APP-60001",
      /ExactSettings/,
    ],
    ...[["length", -1], ["length"], ["length", 5_000_000], [0, {}], [100_000, {}], ["map", 1], ["0", {}]].flatMap(
      ([name, value]): Refusal[] => {
        const title = `exact settings that make ${JSON.stringify(value)} of ${JSON.stringify(name)} of a list`;
        const send = (read: unknown) => () =>
          post(file(withExact(["claimConfiguration", "claimMappings", name], read, value)));
        return [
          [title, send(undefined), 400, "APP-60001", /ExactSettings/],
          [`${title}, of another file`, send(0), 201, "", /./],
        ];
      },
    ),
    [
      "exact settings of 100,000 levels",
      () =>
        post(
          file(
            withProlog(
              "",
              `<ExactSettings>[{"at":["description"],"read":"47DEQpj8HBSa-_TImW-5JC","value":${"[".repeat(100_000)}${"]".repeat(100_000)}}]</ExactSettings>`,
            ),
          ),
        ),
      400,
      "APP-60001",
      /ExactSettings.*30 levels/,
    ],
  ])("%s", async (_, send, status, code, description) => {
    before ??= await state();
    const answer = await send();
    const body = answer.body as { code?: string; description?: string; applicationId?: string };
    if (status === 201) {
      // Accepted: the fingerprint does not match, so the settings are ignored.
      expect(answer.status).toBe(201);
      await ask("DELETE", at(body.applicationId ?? ""));
    } else {
      expect([answer.status, body.code]).toEqual([status, code]);
      expect(body.description).toMatch(description);
      expect(body.description?.length).toBeLessThan(600);
    }
    expect(await state()).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("409", () => {
  test("for an existing name; the application does not change", async () => {
    const id = await create({ name: "taken", description: "first" });
    const answer = await upload(api, "POST", fileOf({ name: "taken", inbound: oauthEntry("taken-client") }));
    expect([answer.status, answer.body.code]).toEqual([409, "APP-60007"]);
    expect(answer.body.description).toContain("taken");
    expect(await read(id)).toMatchObject({ description: "first", inboundProtocols: [] });
    expect((await upload(api, "POST", fileOf({ name: "another", inbound: oauthEntry("taken-client") }))).status).toBe(
      201,
    );
  });
  test.each([
    ["client id", oauthEntry("owned-client")],
    ["issuer", samlEntry("https://owned.example")],
    ["realm", entry("passivests", "urn:owned", undefined, property("passiveSTSWReply", "https://owned.example"))],
  ])("for the %s of another application; nothing is created", async (what, inbound) => {
    expect((await upload(api, "POST", fileOf({ name: `owner of the ${what}`, inbound }))).status).toBe(201);
    const before = await total();
    const answer = await upload(api, "POST", fileOf({ name: `second with the ${what}`, inbound }));
    expect([answer.status, answer.body.code]).toEqual([409, "APP-60009"]);
    expect(await total()).toBe(before);
    expect((await upload(api, "POST", fileOf({ name: `second with the ${what}` }))).status).toBe(201);
  });
  test("for all but one of several concurrent imports of a file", async () => {
    const file = fileOf({ name: "busy", inbound: oauthEntry("busy") });
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(api, "POST", file)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

/** The demo tenant: always the same, so that a second run finds what is there. */
import type { BodyOf } from "#client/client.ts";

const givenNames = [
  ...["Aino", "Amara", "Ana", "Anders", "Aya", "Bilal", "Carlos", "Chiara", "Daniel", "Deniz", "Elena", "Emeka"],
  ...["Fatima", "Felix", "Grace", "Hana", "Hugo", "Ines", "Ivan", "Jamal", "Jana", "Jin", "Jonas", "Kim"],
  ...["Lara", "Lea", "Liam", "Lucia", "Mai", "Marek", "Marta", "Mateo", "Mina", "Nadia", "Noah", "Olga"],
  ...["Omar", "Petra", "Priya", "Rafael", "Ravi", "Rosa", "Sara", "Sofia", "Tariq", "Tomas", "Vera", "Wei"],
  ...["Yara", "Zofia"],
] as const;
const familyNames = [
  ...["Abe", "Adeyemi", "Almeida", "Andersen", "Berry", "Bianchi", "Chen", "Costa", "Diallo", "Dubois", "Eriksen"],
  ...["Fischer", "Garcia", "Gupta", "Haddad", "Hansen", "Ito", "Jensen", "Kaya", "Keller", "Khan", "Kim", "Kowalski"],
  ...["Lang", "Lopez", "Martin", "Mendes", "Moreau", "Nakamura", "Novak", "Okafor", "Olsen", "Park", "Pereira"],
  ...["Petrov", "Rahman", "Rossi", "Santos", "Schmid", "Sharma", "Silva", "Singh", "Suzuki", "Tanaka", "Toth"],
  ...["Varga", "Virtanen", "Weber", "Yilmaz", "Zhang"],
] as const;

/** Departments with the share of people in each, and the titles of their people. */
const departments = [
  { name: "Dispatch", share: 40, titles: ["Dispatcher", "Shift lead", "Coordinator"] },
  { name: "Drivers", share: 80, titles: ["Driver", "Senior driver"] },
  { name: "Workshop", share: 25, titles: ["Mechanic", "Electrician", "Foreman"] },
  { name: "Finance", share: 15, titles: ["Accountant", "Controller"] },
  { name: "Engineering", share: 30, titles: ["Engineer", "Senior engineer", "Architect"] },
  { name: "People", share: 10, titles: ["Recruiter", "Partner"] },
] as const;

/** Where people work, and the language and time zone there. */
const places = [
  { locality: "Zurich", country: "CH", locale: "de-CH", timezone: "Europe/Zurich" },
  { locality: "Lisbon", country: "PT", locale: "pt-PT", timezone: "Europe/Lisbon" },
  { locality: "Nairobi", country: "KE", locale: "en-KE", timezone: "Africa/Nairobi" },
  { locality: "Osaka", country: "JP", locale: "ja-JP", timezone: "Asia/Tokyo" },
] as const;

/** A person of the demo tenant. */
export interface Person {
  readonly userName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly department: string;
  readonly title: string;
  readonly employeeNumber: string;
  readonly active: boolean;
  readonly place: (typeof places)[number];
  /** The head of the department: the first person in it, who has none. */
  readonly manager: string | undefined;
}

const FIRST_NUMBER = 10_001;
/** Every so many people have left. */
const LEFT_EVERY = 23;

/** The 200 people, by department. */
export function demoPeople(): readonly Person[] {
  const people: Person[] = [];
  for (const { name: department, share, titles } of departments) {
    const head = people.length;
    for (let index = 0; index < share; index += 1) {
      const number = people.length;
      // The steps have no common divisor with the 50 names, so no full name comes twice.
      const givenName = givenNames[(number * 7) % givenNames.length] ?? "Kim";
      const familyName = familyNames[(number * 11 + Math.floor(number / givenNames.length)) % familyNames.length] ?? "";
      people.push({
        userName: `${givenName}.${familyName}`.toLowerCase(),
        givenName,
        familyName,
        department,
        title: index === 0 ? `Head of ${department}` : (titles[index % titles.length] ?? department),
        employeeNumber: String(FIRST_NUMBER + number),
        active: number % LEFT_EVERY !== LEFT_EVERY - 1,
        place: places[number % places.length] ?? places[0],
        manager: index === 0 ? undefined : people[head]?.userName,
      });
    }
  }
  return people;
}

type NewApplication = BodyOf<"POST /api/server/v1/applications">;

/** The APIs, with their scopes. */
export const demoApis = [
  { identifier: "https://api.example.com/trips", name: "Trips", scopes: ["trips_view", "trips_plan", "trips_cancel"] },
  { identifier: "https://api.example.com/vehicles", name: "Vehicles", scopes: ["vehicles_view", "vehicles_service"] },
  { identifier: "https://api.example.com/billing", name: "Billing", scopes: ["invoices_view", "invoices_approve"] },
] as const;

/** The roles: their scopes, and the groups that have them. */
export const demoRoles = [
  { name: "Trip planner", scopes: ["trips_view", "trips_plan", "trips_cancel"], groups: ["Dispatch"] },
  { name: "Trip viewer", scopes: ["trips_view"], groups: ["Drivers", "Dispatch"] },
  { name: "Vehicle technician", scopes: ["vehicles_view", "vehicles_service"], groups: ["Workshop"] },
  { name: "Invoice approver", scopes: ["invoices_view", "invoices_approve"], groups: ["Finance", "Heads"] },
  { name: "Help desk", scopes: ["internal_user_mgt_list", "internal_user_mgt_view"], groups: ["People"] },
  { name: "Directory reader", scopes: ["internal_user_mgt_list", "internal_group_mgt_view"], groups: ["Engineering"] },
] as const;

const web = (name: string, host: string): NewApplication => ({
  name,
  description: `${name} in the browser`,
  accessUrl: `https://${host}.example.com`,
  inboundProtocolConfiguration: {
    oidc: {
      grantTypes: ["authorization_code", "refresh_token"],
      callbackURLs: [`https://${host}.example.com/callback`],
      pkce: { mandatory: true, supportPlainTransformAlgorithm: false },
    },
  },
});
const machine = (name: string, description: string): NewApplication => ({
  name,
  description,
  inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
});
const saml = (name: string, host: string): NewApplication => ({
  name,
  description: `${name}, by SAML`,
  accessUrl: `https://${host}.example.com`,
  inboundProtocolConfiguration: {
    saml: {
      manualConfiguration: {
        issuer: `https://${host}.example.com/saml`,
        assertionConsumerUrls: [`https://${host}.example.com/saml/acs`],
      },
    },
  } as NonNullable<NewApplication["inboundProtocolConfiguration"]>,
});

/** The twelve applications, and the APIs that they call. */
export const demoApplications: readonly (readonly [NewApplication, readonly string[]])[] = [
  [web("Dispatch console", "dispatch"), ["https://api.example.com/trips"]],
  [web("Driver app", "driver"), ["https://api.example.com/trips"]],
  [web("Workshop planner", "workshop"), ["https://api.example.com/vehicles"]],
  [web("Billing portal", "billing"), ["https://api.example.com/billing"]],
  [web("Staff directory", "staff"), []],
  [machine("Nightly billing", "Writes the invoices of a day"), ["https://api.example.com/billing"]],
  [machine("Telemetry", "Reads where vehicles are"), ["https://api.example.com/vehicles"]],
  [machine("Route optimiser", "Plans trips"), ["https://api.example.com/trips", "https://api.example.com/vehicles"]],
  [saml("Travel expenses", "expenses"), []],
  [saml("Learning", "learning"), []],
  [
    {
      name: "Time sheets",
      description: "Time sheets, by WS-Federation",
      inboundProtocolConfiguration: {
        passiveSts: { realm: "https://time.example.com", replyTo: "https://time.example.com/reply" },
      },
    },
    [],
  ],
  [{ name: "Intranet", description: "A bookmark", accessUrl: "https://intranet.example.com" }, []],
];

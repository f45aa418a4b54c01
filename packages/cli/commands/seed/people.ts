/** The people of the demo tenant: always the same, so that a second run finds them. */

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

/** PATCH of multi-valued attributes (C row ids: docs/scim-conformance.md). */
import { describe, expect, test } from "vitest";
import { add, having, home, type Operations, other, patch, remove, replace, work } from "./patch.support.ts";
import { faultOf, kim, SYSTEM } from "./support.ts";

describe("lists", () => {
  test.each<[string, Operations, Readonly<Record<string, unknown>>]>([
    ["C144 add appends", [add("emails", [other])], { emails: [work, home, other] }],
    ["C144 add one without a list", [add("emails", other)], { emails: [work, home, other] }],
    ["C144 add without path", [add(undefined, { emails: [other] })], { emails: [work, home, other] }],
    ["C144 add a bare text", [add("emails", "x@y")], { emails: [work, home, { value: "x@y" }] }],
    [
      "C144 add to nothing",
      [add("phoneNumbers", [{ value: "1", TYPE: "work" }])],
      { phoneNumbers: [{ value: "1", type: "work" }] },
    ],
    [
      "C144 two of one type",
      [add("emails", [{ value: "a@b", type: "work" }])],
      { emails: [work, home, { value: "a@b", type: "work" }] },
    ],
    [
      "C144 read-only and unknown parts of an element are left out",
      [add("roles", [{ value: "x", $ref: "y", nope: 1 }])],
      { roles: [{ value: "auditor" }, { value: "x" }] },
    ],
    [
      "C146 add primary demotes the other",
      [add("emails", [{ ...other, primary: "True" }])],
      { emails: [{ ...work, primary: false }, home, { ...other, primary: true }] },
    ],
    [
      "C146 replace primary of an element",
      [replace('emails[type eq "home"].primary', true)],
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    [
      "C146 merge primary into an element",
      [add('emails[type eq "home"]', { primary: true })],
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    [
      "C146 one after another",
      [replace('emails[type eq "home"].primary', true), replace('emails[type eq "work"].primary', true)],
      { emails: [work, { ...home, primary: false }] },
    ],
    [
      "C145 an existing address gets the new parts",
      [add("emails", [{ ...home, primary: true }])],
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    [
      "C145 whatever the case of its letters",
      [add("emails", [{ value: "KIM@home.test", type: "HOME", display: "x" }])],
      { emails: [work, { ...home, display: "x" }] },
    ],
    ["C149 remove all", [remove("emails")], { emails: undefined }],
    ["C150 remove by filter", [remove('emails[type eq "home"]')], { emails: [work] }],
    [
      "C150 remove by a larger filter",
      [remove('emails[(type eq "home" or display pr) and not (primary eq true)]')],
      { emails: [work] },
    ],
    ["C151 the last one removed", [remove('emails[value co "@"]')], { emails: undefined }],
    [
      "C152 remove a part",
      [remove('emails[type eq "work"].primary')],
      { emails: [{ value: work.value, type: "work" }, home] },
    ],
    ["C152 an element left empty goes", [remove("x509Certificates[value pr].value")], { x509Certificates: undefined }],
    [
      "C152 remove a part everywhere",
      [remove("emails.type")],
      { emails: [{ value: work.value, primary: true }, { value: home.value }] },
    ],
    ["C157 replace all", [replace("emails", [other])], { emails: [other] }],
    ["C157 replace all by one without a list", [replace(undefined, { emails: other })], { emails: [other] }],
    ["C157 replace by nothing", [replace("emails", [])], { emails: undefined }],
    ["C157 replace by null", [replace("emails", null)], { emails: undefined }],
    [
      "C024 equal elements once",
      [replace("emails", [other, { ...other }, { TYPE: "other", Value: other.value }])],
      { emails: [other] },
    ],
    [
      "C024 one value and type once",
      [replace("emails", [other, { ...other, display: "x" }])],
      { emails: [{ value: other.value, display: "x", type: "other" }] },
    ],
    [
      "C160 replace an element",
      [replace('emails[type eq "work"]', { value: "n@x", type: "work", display: "n" })],
      { emails: [{ value: "n@x", display: "n", type: "work" }, home] },
    ],
    [
      "C160 a replaced element keeps the parts in the brackets",
      [replace('emails[type eq "work"]', { value: "n@x" })],
      { emails: [{ value: "n@x", type: "work" }, home] },
    ],
    [
      "C160 unless the value says otherwise",
      [replace('emails[type eq "work"]', { value: "n@x", type: "other" })],
      { emails: [{ value: "n@x", type: "other" }, home] },
    ],
    [
      "C160 replace an element by a bare text",
      [replace('emails[type eq "work"]', "n@x")],
      { emails: [{ value: "n@x", type: "work" }, home] },
    ],
    ["C160 replace an element by null removes it", [replace('emails[type eq "work"]', null)], { emails: [home] }],
    ["C160 equal elements become one", [replace("emails[value pr]", { value: "n@x" })], { emails: [{ value: "n@x" }] }],
    [
      "C161 replace a part of all that match",
      [replace("emails[value pr].display", "d")],
      {
        emails: [
          { value: work.value, display: "d", type: "work", primary: true },
          { value: home.value, display: "d", type: "home" },
        ],
      },
    ],
    [
      "add merges into what matches",
      [add('emails[type eq "home"]', { display: "d" })],
      { emails: [work, { value: home.value, display: "d", type: "home" }] },
    ],
    [
      "null takes a part of what matches away",
      [add('emails[type eq "work"]', { primary: null })],
      { emails: [{ value: work.value, type: "work" }, home] },
    ],
    [
      "a part of every element",
      [replace("emails.display", "d")],
      {
        emails: [
          { value: work.value, display: "d", type: "work", primary: true },
          { value: home.value, display: "d", type: "home" },
        ],
      },
    ],
    [
      "a part of no element creates one",
      [replace("ims.value", "x"), add("photos.value", "y")],
      { ims: [{ value: "x" }], photos: [{ value: "y" }] },
    ],
    [
      "M09 add creates the element",
      [add('phoneNumbers[type eq "work"].value', "1")],
      { phoneNumbers: [{ value: "1", type: "work" }] },
    ],
    [
      "creates an element besides others",
      [add('emails[type eq "other"].value', "x")],
      { emails: [work, home, { value: "x", type: "other" }] },
    ],
    [
      "creates an element from several terms",
      [add('addresses[type eq "work" and primary eq "True"].country', "CH")],
      { addresses: [{ country: "CH", type: "work", primary: true }] },
    ],
    [
      "creates an element from terms and a value",
      [add('addresses[type eq "work"]', { country: "CH", locality: "Bern" })],
      { addresses: [{ locality: "Bern", country: "CH", type: "work" }] },
    ],
    [
      "creates a primary element, which demotes the other",
      [add("emails[primary eq true and type eq other].value", "x")],
      { emails: [{ ...work, primary: false }, home, { value: "x", type: "other", primary: true }] },
    ],
    [
      "creates an element that a later operation finds",
      [add('phoneNumbers[type eq "work"].value', "1"), replace('phoneNumbers[type eq "work"].value', "2")],
      { phoneNumbers: [{ value: "2", type: "work" }] },
    ],
    ["creates no element without a value", [add('phoneNumbers[type eq "work"].value', "")], {}],
    [
      "creates a simple value",
      [add('emailAddresses[value eq "x@y"]', "x@y")],
      { [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["kim@work.test", "kim@home.test", "x@y"] } },
    ],
    [
      "creates one element where the value replaces the term",
      [add('ims[value eq "a"].value', "b")],
      { ims: [{ value: "b" }] },
    ],
    [
      "M10 primary eq true",
      [replace("emails[primary eq true].value", "x")],
      { emails: [{ ...work, value: "x" }, home] },
    ],
    [
      'M10 primary eq "True"',
      [replace('emails[primary eq "True"].value', "x")],
      { emails: [{ ...work, value: "x" }, home] },
    ],
    [
      "paths in a value",
      [replace(undefined, { 'emails[type eq "work"].value': "x", 'emails[type eq "home"].display': "d" })],
      {
        emails: [
          { ...work, value: "x" },
          { value: home.value, display: "d", type: "home" },
        ],
      },
    ],
    ["quotes optional in brackets", [remove("emails[type eq home]")], { emails: [work] }],
    ["names and values in brackets in any case", [remove('EMAILS[TYPE EQ "HOME"]')], { emails: [work] }],
    [
      "M36 remove listed elements",
      [{ op: "Remove", path: "emails", value: [{ value: home.value }] }],
      { emails: [work] },
    ],
    [
      "M36 listed by value, whatever else than the type is said",
      [remove("emails", [{ value: "KIM@HOME.TEST", primary: true, nope: 1 }])],
      { emails: [work] },
    ],
    [
      "M36 listed by value and type: another type stays",
      [
        add("emails", [
          { value: work.value, type: "home" },
          { value: work.value, type: "other" },
        ]),
        remove("emails", [
          { value: "KIM@work.test", type: "HOME" },
          { value: home.value, type: "other" },
        ]),
      ],
      { emails: [work, home, { value: work.value, type: "other" }] },
    ],
    [
      "M36 listed without a list, or as a bare text",
      [remove("emails", { value: home.value }), remove("roles", "auditor")],
      { emails: [work], roles: undefined },
    ],
    ["M36 listed without a value: by all that is said", [remove("emails", [{ type: "home" }])], { emails: [work] }],
    ["M36 listed without a value, in any case", [remove("emails", [{ type: "HOME" }])], { emails: [work] }],
    ["M36 null lists nothing in particular", [remove("emails", null)], { emails: undefined }],
    ["M36 an empty list removes nothing", [remove("emails", []), remove("emails", [{}, null, ""])], {}],
    ["M36 remove absent elements", [remove("emails", [{ value: "x" }, { type: "other" }])], {}],
    [
      "lists of texts",
      [add(`${SYSTEM}:emailAddresses`, ["KIM@WORK.test", "x@y"])],
      { [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["kim@work.test", "kim@home.test", "x@y"] } },
    ],
    [
      "lists of texts, removed by filter",
      [remove(`${SYSTEM}:emailAddresses[value sw "kim@work"]`)],
      { [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["kim@home.test"] } },
    ],
    [
      "lists of texts, replaced by filter",
      [replace('emailAddresses[value eq "kim@work.test"]', "x@y")],
      { [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["x@y", "kim@home.test"] } },
    ],
    [
      "lists of texts, removed as listed",
      [remove("emailAddresses", ["Kim@Home.test"])],
      { [SYSTEM]: { failedLoginAttempts: 3, emailAddresses: ["kim@work.test"] } },
    ],
  ])("%s", (_, operations, members) => expect(patch(operations)).toStrictEqual(having(kim, members)));

  test.each<[string, Operations]>([
    ["C145 add an existing element", [add("emails", [home]), add(undefined, { emails: [home, work] })]],
    ["C145 add a part of an existing element", [add("emails", [{ value: work.value, type: "work" }])]],
    ["replace by the same", [replace("emails", [work, home]), replace('emails[type eq "home"]', home)]],
    [
      "replace a part by the same",
      [
        replace("emails[primary eq true].primary", "true"),
        replace("emails.type", "work"),
        replace("emails", [work, home]),
      ],
    ],
  ])("%s: changes nothing, and returns the same object", (_, operations) => expect(patch(operations)).toBe(kim));

  test.each<[string, Operations, string]>([
    ["C162 replace without a match", [replace('emails[type eq "other"].value', "x")], "scim.no_target"],
    [
      "C162 replace an element that does not match",
      [replace('emails[type eq "other"]', { value: "x" })],
      "scim.no_target",
    ],
    [
      "C162 replace in a list that is not there",
      [replace('phoneNumbers[type eq "work"].value', "x")],
      "scim.no_target",
    ],
    ["C162 in a value", [replace(undefined, { 'emails[type eq "other"].value': "x" })], "scim.no_target"],
    ["no term says which element to create", [add('emails[value co "zzz"].type', "x")], "scim.no_target"],
    ["the new element would not match", [add('emails[type eq "x" or type eq "y"].value', "z")], "scim.no_target"],
    ["a read-only part cannot be created", [add('roles[$ref eq "x"].value', "z")], "scim.no_target"],
    [
      "a term in brackets is too long to be stored",
      [add(`ims[type eq "${"x".repeat(1_025)}"].value`, "z")],
      "request.invalid",
    ],
    ["two primary ones in one list", [replace("emails", [work, { ...home, primary: true }])], "request.invalid"],
    ["two primary ones by brackets", [replace("emails[value pr].primary", true)], "request.invalid"],
    ["two primary ones by a part", [add("emails.primary", "true")], "request.invalid"],
    [
      "too many elements",
      [
        add(
          "emails",
          Array.from({ length: 99 }, (__, index) => `${index}@x`),
        ),
      ],
      "request.invalid",
    ],
    ["wrong type in an element", [add("emails", [{ value: 5 }])], "request.malformed"],
    ["wrong type in a part", [replace('emails[type eq "work"].primary', "maybe")], "request.malformed"],
    ["wrong type of a listed element", [remove("emails", [{ primary: "maybe" }])], "request.malformed"],
    ["a listed element with read-only parts alone", [remove("roles", [{ $ref: "x" }])], "request.invalid"],
    ["a listed element with unknown parts alone", [remove("emails", [home, { nope: home.value }])], "request.invalid"],
    ["a list for a chosen element", [replace('emails[type eq "work"]', [work, home])], "request.malformed"],
    ["a part of what has none", [replace(`${SYSTEM}:emailAddresses.value`, "x")], "scim.path_invalid"],
  ])("refuses %s", (_, operations, fault) => expect(faultOf(() => patch(operations))).toBe(fault));

  test("reuses the objects of unchanged elements", () => {
    const emails = patch([add("emails", [other])]).emails as readonly unknown[];
    expect(emails[0]).toBe((kim.emails as readonly unknown[])[0]);
  });
});

/** Lists of users that are read page by page with a cursor, and their budgets. */
import { type Dataset, marks } from "./dataset.ts";
import type { Budget } from "./report.ts";
import { pageBudget, prefixBudget, searchBudget, withResources } from "./users-budgets.ts";
import { users } from "./users-calls.ts";

/** A list read page by page with a cursor. */
export interface Walk {
  readonly name: string;
  /** The path with all parameters except the cursor. */
  readonly path: string;
  readonly budget: Budget;
  /** The expected number of resources if it reads all pages. */
  readonly total: number;
  readonly pagesMax: number;
}

const WALK_PAGE = 200;
const PAGES_OF_ALL = 20;

/** Lists with a cursor. */
export function walks({ size, groups: all }: Dataset): readonly Walk[] {
  const count = WALK_PAGE;
  const sw = `userName sw "${marks.prefix}"`;
  return [
    {
      name: "cursor, all users",
      path: users({ count }),
      budget: pageBudget(count),
      // With the administrator; earlier calls created two users and deleted two.
      total: size + 1,
      pagesMax: PAGES_OF_ALL,
    },
    {
      name: "cursor, sw",
      path: users({ count, filter: sw }),
      budget: prefixBudget(count),
      total: size / 100,
      pagesMax: size,
    },
    {
      name: "cursor, co",
      path: users({ count, filter: `userName co "${marks.infix}"` }),
      budget: searchBudget(count),
      total: size / 100,
      pagesMax: 3,
    },
    {
      name: `cursor, a group of ${size / 10}`,
      path: users({ count, filter: `groups.value eq "${all[0]?.id}"` }),
      // The members of a group of 1,000 are read whole: 31 units.
      budget: withResources(4, 35, count),
      total: (all[0]?.memberCount ?? 0) - 1,
      pagesMax: size,
    },
  ];
}

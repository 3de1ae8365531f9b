import { useState } from "react";

/**
 * A text that a person types, and that is what the address says again whenever that has changed: by a search, a link, or
 * by going back. The field keeps the cursor, which one that is made anew with each address would lose.
 */
export function useFollowing(told: string): readonly [typed: string, type: (text: string) => void] {
  const [typed, type] = useState(told);
  const [followed, follow] = useState(told);
  if (followed !== told) {
    follow(told);
    type(told);
  }
  return [typed, type];
}

/**
 * What every answer has, and that nobody may store it unless it says otherwise. What only concerns pages, or a host that a
 * proxy in front answers for (HSTS), is left out: it would be half of a small answer.
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  // For data: the few pages set a policy of their own.
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "cache-control": "no-store",
};

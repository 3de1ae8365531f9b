// By code and not by status, which may always be 200 (STATUS_STYLE). The same with every service.

/** The session has to show a second factor first. */
export const factorNeeded = "20011";

/** Another password has to be chosen first, which a sign-in leads to. */
export const passwordGiven = "20013";

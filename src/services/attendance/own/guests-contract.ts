import { type NumberHeaders, provenGuests } from "#platform/contract/proven-contract.ts";

export const employeeHeaders: NumberHeaders = {
  number: "employee_no",
  time: "employee_time",
  sign: "employee_sign",
  token: "employee_token",
};

export const employees = provenGuests({
  title: "employees, each by the own number",
  knownBy: "employee",
  headers: employeeHeaders,
  about: "The employee's work number, or the UserId of an employee without one.",
  login: "the employees' login",
  setting: "EMPLOYEE_IDENTITY",
});

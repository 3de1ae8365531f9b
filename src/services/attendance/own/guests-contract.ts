import { type NumberHeaders, provenGuests } from "#platform/contract/proven-contract.ts";

export const employeeHeaders: NumberHeaders = {
  number: "employee_no",
  time: "employee_time",
  sign: "employee_sign",
  token: "employee_token",
};

export const employees = provenGuests({
  title: "employees, identified by their employee number",
  knownBy: "employee",
  headers: employeeHeaders,
  about: "The employee number, or the UserId of an employee without an employee number.",
  login: "the employees' login",
  setting: "EMPLOYEE_IDENTITY",
});

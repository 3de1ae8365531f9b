import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "#quintet/settings.ts";
import { toLink } from "./links.ts";

const link = (environment: Record<string, string>) => toLink(readSettings(environment), "/reporting/file/a.png");

test("a link is a path, or an address under PUBLIC_URL, with the prefix once", () => {
  const cases: [Record<string, string>, string][] = [
    [{}, ""],
    [{ BASE_PATH: "/quintet" }, "/quintet"],
    [{ PUBLIC_URL: "https://api.example.edu" }, "https://api.example.edu"],
    [{ PUBLIC_URL: "https://api.example.edu/" }, "https://api.example.edu"],
    [{ PUBLIC_URL: "http://api.example.edu:8080/city" }, "http://api.example.edu:8080/city"],
    [{ PUBLIC_URL: "https://api.example.edu", BASE_PATH: "/quintet" }, "https://api.example.edu/quintet"],
    [{ PUBLIC_URL: "https://api.example.edu/quintet/", BASE_PATH: "/quintet" }, "https://api.example.edu/quintet"],
  ];
  for (const [environment, prefix] of cases) assert.equal(link(environment), `${prefix}/reporting/file/a.png`);
});

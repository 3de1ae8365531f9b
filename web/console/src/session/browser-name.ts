const browsers = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const systems = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
] as const;

/** "Chrome · Windows"; what is no browser is shown as it named itself. */
export function nameBrowser(userAgent: string): string {
  const browser = browsers.find(([sign]) => userAgent.includes(`${sign}/`))?.[1];
  const system = systems.find(([sign]) => userAgent.includes(sign))?.[1];
  return browser ? [browser, system].filter((part) => part !== undefined).join(" · ") : userAgent;
}

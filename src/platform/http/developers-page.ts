import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import { beginPage, escapeHtml, mark } from "#platform/http/html.ts";

const texts = {
  zh: {
    title: "Quintet 开发者",
    subtitle: "大学与城市的五项服务，一个平台",
    running: "正在运行",
    services: "服务",
    operations: (count: number) => `${count} 个接口`,
    open: "查看文档",
    entrances: "首页",
    reference: "接口文档",
    referenceAbout: "全部接口，可直接试用",
    documentAbout: "OpenAPI 3.1，供生成客户端",
    state: "运行状态",
    live: "进程存活",
    ready: "可接受请求",
    health: "各部分的状态（操作员）",
  },
  en: {
    title: "Quintet for developers",
    subtitle: "Five services of a university and its city, on one platform",
    running: "Running",
    services: "Services",
    operations: (count: number) => (count === 1 ? "1 operation" : `${count} operations`),
    open: "Open reference",
    entrances: "Home",
    reference: "API reference",
    referenceAbout: "Every operation, to read and to try",
    documentAbout: "OpenAPI 3.1, to generate clients from",
    state: "State",
    live: "The process lives",
    ready: "It takes requests",
    health: "Each part's state (operators)",
  },
} as const;

export interface DevelopersAddresses {
  readonly base: string;
  readonly style: string;
  readonly version: string;
}

/** What runs here and where to read on. */
export function renderDevelopersPage(
  language: Language,
  contracts: readonly ServiceContract[],
  { base, style, version }: DevelopersAddresses,
): string {
  const text = texts[language];
  return `${beginPage(language, text.title, `<link rel="stylesheet" href="${style}">`)}
<body>
<header>
<div class="mark">${mark}</div>
<div><h1><a href="${base}/" title="${text.entrances}">Quintet</a></h1><p>${text.subtitle}</p></div>
<p class="state"><span class="dot"></span>${text.running}<span class="version">${escapeHtml(version)}</span></p>
</header>
<main>
<h2>${text.services}</h2>
<ul class="cards">
${contracts.map((contract) => renderService(language, contract, base)).join("\n")}
</ul>
<div class="pair">
<section><h2>${text.reference}</h2>
${renderLinks([
  [`${base}/docs`, text.referenceAbout],
  [`${base}/openapi.json`, text.documentAbout],
])}
</section>
<section><h2>${text.state}</h2>
${renderLinks([
  [`${base}/livez`, text.live],
  [`${base}/readyz`, text.ready],
  [`${base}/platform/health`, text.health],
])}
</section>
</div>
</main>
</body>
</html>
`;
}

function renderService(language: Language, { name, title, about, endpoints }: ServiceContract, base: string): string {
  const text = texts[language];
  return `<li class="${name}"><a href="${base}/docs?api=${name}">
<strong>${title[language]}</strong><span>${about[language]}</span>
<small>${text.operations(Object.keys(endpoints).length)}<em>${text.open} →</em></small>
</a></li>`;
}

const renderLinks = (links: readonly (readonly [string, string])[]): string =>
  `<ul class="links">${links.map(([address, about]) => `<li><a href="${address}"><code>${address}</code><span>${about}</span></a></li>`).join("")}</ul>`;

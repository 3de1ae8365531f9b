import { findable, includes, mostFound } from "#console/shell/find.ts";
import { pushRelay } from "#shared/api/push-relay.ts";

export const pushRelayFindable = [
  findable(
    { zh: "推送项目", en: "Push projects" },
    pushRelay.listProjects,
    () => ({}),
    (projects, text) =>
      projects
        .filter(({ project, url }) => includes(`${project} ${url}`, text))
        .slice(0, mostFound)
        .map(({ id, project, url }) => ({ label: project, about: url, to: `/push-relay/projects?open=${id}` })),
  ),
];

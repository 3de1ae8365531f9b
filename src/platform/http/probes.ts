import type { FastifyInstance } from "fastify";
import type { JobRunner } from "#platform/jobs/runner.ts";
import { isReady } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

/**
 * /livez answers while the process runs. /readyz answers 503 with the failed checks if the process cannot serve
 * requests.
 */
export function serveProbes(
  app: FastifyInstance,
  { pool, settings, temporaryFiles, files }: Platform,
  jobs: Pick<JobRunner, "isRunning">,
): void {
  app.get(`${settings.BASE_PATH}/livez`, async () => ({ alive: true }));
  app.get(`${settings.BASE_PATH}/readyz`, async (_request, reply) => {
    const readiness = await isReady({ pool, jobs, temporaryFiles, files });
    return readiness.ready ? readiness : reply.code(503).header("retry-after", "2").send(readiness);
  });
}

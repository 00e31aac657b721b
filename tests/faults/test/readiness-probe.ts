import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

/** A readiness probe of Kubernetes: its settings in the manifest. */
interface ProbeSettings {
  readonly httpGet: { readonly path: string }
  readonly periodSeconds: number
  readonly timeoutSeconds: number
  readonly failureThreshold: number
}

/** A running readiness probe. */
export interface ReadinessProbe {
  readonly failureThreshold: number
  /** Number of completed checks. */
  checks(): number
  /** Number of times that the pod was removed from its service. */
  removals(): number
  /** The failed checks: a status, or an error. */
  readonly failures: readonly string[]
  end(): Promise<void>
}

/** Starts the readiness probe of the Kubernetes manifest against a gateway. */
export function startReadinessProbe(gatewayUrl: string): ReadinessProbe {
  const { httpGet, periodSeconds, timeoutSeconds, failureThreshold } = settingsOfManifest()
  const failures: string[] = []
  let checks = 0
  let consecutive = 0
  let removals = 0
  const check = async () => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000)
    const outcome = await fetch(`${gatewayUrl}${httpGet.path}`, {
      signal,
      headers: { connection: 'close' },
    }).then(
      async (response) => {
        await response.body?.cancel()
        return response.ok ? undefined : String(response.status)
      },
      (error: unknown) => (error as Error).name,
    )
    consecutive = outcome === undefined ? 0 : consecutive + 1
    if (outcome !== undefined) failures.push(outcome)
    if (consecutive === failureThreshold) removals += 1
    checks += 1
  }
  let last = check()
  // The next check waits for the previous one, as in Kubernetes.
  const timer = setInterval(() => {
    last = last.then(check)
  }, periodSeconds * 1_000)
  return {
    failureThreshold,
    checks: () => checks,
    removals: () => removals,
    failures,
    end: async () => {
      clearInterval(timer)
      await last
    },
  }
}

function settingsOfManifest(): ProbeSettings {
  const file = new URL('../../../deploy/kubernetes/fairlead.yaml', import.meta.url)
  const manifests = parseAllDocuments(readFileSync(file, 'utf8')).map(
    (document) => document.toJS() as { readonly kind: string; readonly spec: unknown },
  )
  const deployment = manifests.find(({ kind }) => kind === 'Deployment')?.spec as {
    readonly template: {
      readonly spec: { readonly containers: readonly [{ readonly readinessProbe: ProbeSettings }] }
    }
  }
  return deployment.template.spec.containers[0].readinessProbe
}

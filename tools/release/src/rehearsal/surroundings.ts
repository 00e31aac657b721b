/**
 * The environment of a rehearsal: without what could publish elsewhere, report to a workflow, or make git know who commits.
 * Where this machine gets packages from stays.
 */
export function surroundings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => {
    const upper = name.toUpperCase()
    return upper === 'NPM_CONFIG_REGISTRY' || !/TOKEN|^NPM_|^GITHUB_OUTPUT$/.test(upper)
  })
  return { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: '/dev/null' }
}

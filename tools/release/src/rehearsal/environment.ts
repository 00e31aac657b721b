/**
 * The environment of a rehearsal: without variables that could publish elsewhere, report to a workflow, or give git an
 * identity. The setting of the registry from which this machine installs packages is retained.
 */
export function rehearsalEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const allowed = Object.entries(environment).filter(([name]) => {
    const upper = name.toUpperCase()
    return upper === 'NPM_CONFIG_REGISTRY' || !/TOKEN|^NPM_|^GITHUB_OUTPUT$/.test(upper)
  })
  return { ...Object.fromEntries(allowed), GIT_CONFIG_GLOBAL: '/dev/null' }
}

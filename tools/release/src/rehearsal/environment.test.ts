import { expect, it } from 'vitest'
import { rehearsalEnvironment } from './environment.ts'

it('the environment of a rehearsal has the package registry, but no credentials and no workflow variables', () => {
  const environment = {
    PATH: '/bin',
    NPM_CONFIG_REGISTRY: 'https://registry.example.com',
    npm_config_provenance: 'true',
    NPM_ID_TOKEN: 'x',
    NODE_AUTH_TOKEN: 'x',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'x',
    GITHUB_TOKEN: 'x',
    GITHUB_OUTPUT: '/tmp/output',
  }
  expect(rehearsalEnvironment(environment)).toEqual({
    PATH: '/bin',
    NPM_CONFIG_REGISTRY: 'https://registry.example.com',
    GIT_CONFIG_GLOBAL: '/dev/null',
  })
})

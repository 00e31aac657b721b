import { expect, it } from 'vitest'
import { surroundings } from './environment.ts'

it('a rehearsal knows no credential and no workflow, and where packages come from', () => {
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
  expect(surroundings(environment)).toEqual({
    PATH: '/bin',
    NPM_CONFIG_REGISTRY: 'https://registry.example.com',
    GIT_CONFIG_GLOBAL: '/dev/null',
  })
})

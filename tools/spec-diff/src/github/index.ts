export { callGithub, GithubError, type GithubPlace, listOnGithub } from './call-github.ts'
export { shortened } from './shortened.ts'

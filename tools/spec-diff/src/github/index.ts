export { callGithub, GithubError, type GithubTarget, listOnGithub } from './call-github.ts'
export { shortened } from './shortened.ts'

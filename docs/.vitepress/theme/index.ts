// The theme without its font: pages are read in that of the system.
export { default } from 'vitepress/theme-without-fonts'

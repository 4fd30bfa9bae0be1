package rule

// Estimate estimates what the page suffers at a place, simulated or not.
func Estimate(f *Facts, p Place) Suffered { return f.pages().fans[0].rough.at(f, p) }

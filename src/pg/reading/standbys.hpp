// Tells standbys what is settled: by the page of the horizon, which they replay.
#pragma once

namespace idgen::pg {

// Writes up to where all is settled, if that is due (core/horizon/renewal.hpp). Never waits; what fails now, the commit
// of another transaction makes good. Called before each commit: the session need not be attached.
void tell_standbys();

}  // namespace idgen::pg

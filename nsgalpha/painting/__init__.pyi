from .pixel_shading import FlatShapes as FlatShapes
from .pixel_shading import Lamp as Lamp
from .pixel_shading import RoundShapes as RoundShapes
from .pixel_shading import averaged as averaged
from .pixel_shading import lay_over as lay_over
from .pixel_shading import shade_rays as shade_rays
from .ray_hits import Rays as Rays
from .ray_hits import ball_depth as ball_depth
from .ray_hits import ball_window as ball_window
from .ray_hits import hit_balls as hit_balls
from .ray_hits import hit_faces as hit_faces

__all__: list[str]

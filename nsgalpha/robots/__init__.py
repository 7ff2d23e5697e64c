"""Robots from descriptions in files: URDF and MJCF to bodies, shapes, joints and loads of a model.

    robot = ns.read_urdf("arm.urdf")
    result = ns.simulate(robot.model, t_end=1.0, h=1e-3)

The modules, in the order of the work:

    xml_elements.py        elements of an XML file with their lines; those that nothing has read
    mesh_locations.py      package:// and relative paths
    robot_description.py   links and joints of a URDF file
    joined_links.py        links without relative motion as one body; poses at the start
    robot_model.py         the model
    joint_trajectories.py  tables of coordinates over time
    mjcf_description.py    links, joints and actuators of a MJCF file, compiled by MuJoCo
    mjcf_robot.py          its model
    actuators.py           loads of actuators
"""
